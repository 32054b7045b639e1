"""Two servers on one database, and servers that are killed: an approval passes once and is never lost."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from policyc_server.store.database import sqlite_url

from server.approvals.material import DEPLOY, As, error, make_keys, reason
from server.process import ServerProcess, eventually

pytestmark = pytest.mark.slow


Serve = Callable[..., ServerProcess]


class Pair:
    """Two servers; requests go to one or the other by number."""

    def __init__(self, servers: list[ServerProcess], secrets: dict[str, str]) -> None:
        self._servers = servers
        self._secrets = secrets

    def at(self, number: int, name: str) -> As:
        return As(self._servers[number % 2].client.request, self._secrets[name])

    def at_once(self, count: int, act: Callable[[int], Any]) -> list[Any]:
        start = threading.Barrier(count)

        def run(number: int) -> Any:
            start.wait()
            return act(number)

        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(run, range(count)))


@pytest.fixture
def pair(serve: Serve, artifact: Path, url: str) -> Pair:
    secrets = make_keys(url)
    started = [serve(artifact, "--database", url) for _ in range(2)]
    return Pair([server.ready() for server in started], secrets)


def test_the_same_call_on_both_is_one_hold(pair: Pair) -> None:
    held = pair.at_once(12, lambda n: pair.at(n, "shop-agent").hold())
    assert len(set(held)) == 1


def test_a_token_passes_once_on_both_together(pair: Pair) -> None:
    approval = pair.at(0, "shop-agent").hold()
    assert pair.at(1, "dana").approve(approval).status_code == 200
    token = pair.at(0, "shop-agent").token(approval)
    answers = pair.at_once(16, lambda n: pair.at(n, "shop-agent").enforce(DEPLOY, token))
    assert sorted(answer.status_code for answer in answers) == [200, *[400] * 15]
    assert {reason(answer) for answer in answers if answer.status_code == 400} == {"approval_used"}


def test_a_hooks_call_passes_once_on_both_together(pair: Pair) -> None:
    event = {"tool_call": {"name": "deploy.release", "args": {"to": "production"}}}

    def ask(number: int) -> str:
        answer = pair.at(number, "shop-agent").post("/v1/hooks/pre_tool_execution", event)
        return str(answer.json()["decision"])

    assert ask(0) == "deny"
    (held,) = pair.at(1, "dana").get("/v1/approvals").json()["approvals"]
    pair.at(1, "dana").approve(held["id"])
    assert sorted(pair.at_once(16, ask)) == ["allow", *["deny"] * 15]


def test_of_answers_on_both_one_stands(pair: Pair) -> None:
    approval = pair.at(0, "shop-agent").hold()

    def answer(number: int) -> httpx.Response:
        person = pair.at(number, ("dana", "erin")[number % 2])
        return (person.approve if number % 2 else person.deny)(approval)

    answers = pair.at_once(8, answer)
    (first,) = [found.json() for found in answers if found.status_code == 200]
    rest = [found.json()["error"]["metadata"] for found in answers if found.status_code == 409]
    assert len(rest) == 7
    assert {(each["by"], each["decision"]) for each in rest} == {(first["decided_by"], first["state"])}


def test_a_run_has_one_cap_on_both(pair: Pair) -> None:
    answers = pair.at_once(30, lambda n: pair.at(n, "shop-agent").enforce(DEPLOY | {"args": {"number": n}}))
    assert sum(error(answer) == "firewall_approval_pending" for answer in answers) == 20


class Story:
    """Holds, decisions and uses until the server dies; what was answered is what must be there."""

    def __init__(self, server: ServerProcess, secrets: dict[str, str]) -> None:
        self._agent = As(server.client.request, secrets["shop-agent"])
        self._dana = As(server.client.request, secrets["dana"])
        self.held: dict[str, object] = {}
        self.decided: dict[str, str] = {}
        self.used: set[str] = set()
        self.tokens: dict[str, str] = {}

    def tell(self, name: str) -> None:
        number = 0
        while True:
            call = DEPLOY | {"run": f"{name}-{number}", "args": {"number": number}}
            try:
                self._step(call, number)
            except (httpx.HTTPError, KeyError):
                return
            number += 1

    def _step(self, call: object, number: int) -> None:
        approval = self._agent.hold(call)
        self.held[approval] = call
        answer = self._dana.approve(approval) if number % 3 else self._dana.deny(approval)
        assert answer.status_code == 200
        self.decided[approval] = "approved" if number % 3 else "denied"
        if number % 3:
            self.tokens[approval] = token = self._agent.token(approval)
            assert self._agent.enforce(call, token).status_code == 200
            self.used.add(approval)


@pytest.mark.parametrize("after", [1, 7, 25])
def test_a_killed_server_forgets_nothing(serve: Serve, artifact: Path, url: str, after: int) -> None:
    secrets = make_keys(url)
    server = serve(artifact, "--database", url).ready()
    story = Story(server, secrets)
    tellers = [threading.Thread(target=story.tell, args=(str(n),)) for n in range(4)]
    for teller in tellers:
        teller.start()
    eventually(lambda: len(story.used) >= after, within=30)
    server.process.kill()
    for teller in tellers:
        teller.join(20)
    again = serve(artifact, "--database", url).ready()
    agent = As(again.client.request, secrets["shop-agent"])
    dana = As(again.client.request, secrets["dana"])
    for approval in story.held:
        found = dana.get(f"/v1/approvals/{approval}").json()
        if approval in story.decided:
            assert found["decided_by"] == "dana"
            assert found["state"] in (story.decided[approval], "consumed")
            assert len(found["log"]) >= 2
        if approval in story.used:
            assert found["state"] == "consumed"
            assert reason(agent.enforce(story.held[approval], story.tokens[approval])) == "approval_used"
    for approval, token in story.tokens.items():
        if dana.get(f"/v1/approvals/{approval}").json()["state"] == "approved":
            assert agent.enforce(story.held[approval], token).status_code == 200


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with little room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1200k", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("mounting a disk needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


class Trouble:
    """A server whose store takes no more: what needs approval is denied, and the rest goes on."""

    def __init__(self, server: ServerProcess, secrets: dict[str, str]) -> None:
        self._agent, self._dana, self._root = (
            As(server.client.request, secrets[name]) for name in ("shop-agent", "dana", "root")
        )
        self._approval = self._agent.hold()
        self._number = 0

    def is_denied(self) -> bool:
        """A new hold each time, of some size."""
        self._number += 1
        call = DEPLOY | {"run": str(self._number), "args": {"text": "x" * 100_000}}
        answer = self._agent.enforce(call)
        return error(answer) == "firewall_blocked" and reason(answer) == "approval_unavailable"

    def check(self) -> None:
        assert self._agent.enforce({"tool": "crm.get"}).status_code == 200
        denied = self._agent.enforce({"tool": "payment.send", "args": {"amount_cents": 10**7}})
        assert reason(denied) == "payment_cap"
        status = self._root.get("/v1/status").json()
        assert status["approvals"]["error"]
        assert status["status"] == "ok"
        assert self._agent.get(f"/v1/approvals/{self._approval}").json()["state"] == "pending"

    def check_that_it_is_over(self) -> None:
        eventually(lambda: self._dana.approve(self._approval).status_code in (200, 409), within=30)
        assert self._root.get("/v1/status").json()["approvals"]["error"] is None
        assert self._agent.enforce(DEPLOY, self._agent.token(self._approval)).status_code == 200


def test_a_full_disk_denies_holds_and_decides_the_rest(
    serve: Serve, artifact: Path, small_disk: Path
) -> None:
    secrets = make_keys(sqlite_url(small_disk))
    trouble = Trouble(serve(artifact, "--database", sqlite_url(small_disk)).ready(), secrets)
    fill(small_disk / "filler")
    eventually(trouble.is_denied, within=30)
    trouble.check()
    (small_disk / "filler").unlink()
    trouble.check_that_it_is_over()


def fill(path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(file, b"x" * 4096)
    os.close(file)


def test_a_read_only_database_denies_holds_and_decides_the_rest(
    serve: Serve, artifact: Path, postgres: str
) -> None:
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        secrets = make_keys(f"{postgres}/{name}")
        trouble = Trouble(serve(artifact, "--database", f"{postgres}/{name}").ready(), secrets)
        make_read_only(connection, name, "on")
        eventually(trouble.is_denied, within=30)
        trouble.check()
        make_read_only(connection, name, "off")
        trouble.check_that_it_is_over()


def make_read_only(connection: psycopg.Connection[Any], name: str, switch: str) -> None:
    """For whoever connects from now on, which is everybody."""
    connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {switch}")
    connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
