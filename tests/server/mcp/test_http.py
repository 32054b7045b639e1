"""`/mcp/{server}` between real clients and a real server of the SDK, over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from policyc_server.store.database import sqlite_url
from policyc_server.store.events import Filter
from policyc_server.store.keys import Key, new_secret
from policyc_server.store.store import Store

from server.mcp.material import CRM, ran, write_policy
from server.mcp.test_stdio import DECISION, SAMPLED, text
from server.process import ServerProcess, eventually

pytestmark = pytest.mark.slow

ACCEPT = "application/json, text/event-stream"
LEGACY = "2025-11-25"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


class World(NamedTuple):
    """A server that streams, one that does not, and a policy server before both; keys by name."""

    server: ServerProcess
    calls: Path
    keys: dict[str, str]
    store: str

    def url(self, name: str = "crm") -> str:
        return f"{self.server.url}/mcp/{name}"

    def bearer(self, key: str = "one") -> dict[str, str]:
        return {"authorization": f"Bearer {self.keys[key]}"}

    def post(self, document: object, key: str = "one", name: str = "crm", **headers: str) -> httpx.Response:
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        head = {"accept": ACCEPT, "content-type": "application/json", **self.bearer(key), **headers}
        return httpx.post(self.url(name), content=content, headers=head, timeout=60)

    def session(self, key: str = "one") -> dict[str, str]:
        """The headers of a session that has begun."""
        answer = self.post(INITIALIZE, key)
        found = {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": LEGACY}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert self.post(ready, key, **found).status_code == 202
        return found


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def is_there(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    calls, state = folder / "calls", folder / "state"
    ports = {"crm": free_port(), "plain": free_port()}
    environment = {**os.environ, "CALLS": str(calls)}
    more: dict[str, dict[str, str]] = {"crm": {}, "plain": {"CRM_JSON": "1"}}
    processes = [
        subprocess.Popen([sys.executable, str(CRM), str(port)], env=environment | more[name])
        for name, port in ports.items()
    ]
    settings = folder / "settings.yaml"
    lines = [f"  {name}: {{url: 'http://127.0.0.1:{port}/mcp'}}" for name, port in ports.items()]
    lines.append(f"  gone: {{url: 'http://127.0.0.1:{free_port()}/mcp'}}")
    settings.write_text("\n".join(["mcp_servers:", *lines, ""]), "utf-8")
    state.mkdir()
    store = Store(sqlite_url(state))
    keys = {name: new_secret() for name in ("one", "two", "dana")}
    for name, secret in keys.items():
        role = "reviewer" if name == "dana" else "agent"
        store.keys.create(Key(name, role, None if name == "dana" else name, None, 1, None), secret)
    store.close()
    bundle = write_policy(folder / "bundle")
    server = ServerProcess(bundle, "--state", state, "--settings", settings)
    try:
        for port in ports.values():
            eventually(lambda port=port: is_there(port), 120)  # type: ignore[misc]
        eventually(lambda: server.process.poll() is not None or "serving" in server.stderr, 120)
        server.ready()
        yield World(server, calls, keys, sqlite_url(state))
    finally:
        server.kill()
        for process in processes:
            process.kill()
            process.wait()


@asynccontextmanager
async def client(world: World, name: str = "crm", key: str = "one", **options: Any) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=world.bearer(key), timeout=60) as http,
        Client(streamable_http_client(world.url(name), http_client=http), **options) as found,
    ):
        yield found


@pytest.mark.parametrize("name", ["crm", "plain"])
@pytest.mark.parametrize(("mode", "version"), [("legacy", LEGACY), ("auto", "2026-07-28")])
def test_a_client_sees_and_gets_what_the_policy_allows(
    world: World, name: str, mode: Any, version: str
) -> None:
    async def session() -> None:
        async with client(world, name, mode=mode) as found:
            assert found.session.protocol_version == version
            names = [tool.name for tool in (await found.list_tools()).tools]
            assert ("get" in names, "send" in names, "drop" in names) == (True, name == "crm", False)
            assert text(await found.call_tool("get", {"id": 7})) == "customer 7"
            if name == "plain":
                assert (await found.call_tool("send", {"text": "x"})).is_error
                return
            dropped = await found.call_tool("drop", {"id": 7})
            assert dropped.is_error
            assert dropped.structured_content["rule"] == "no drops"
            assert (
                text(await found.call_tool("send", {"text": "to ann@example.com"})) == "to [redacted:email]"
            )
            held = await found.call_tool("export", {"what": mode})
            assert held.meta[DECISION]["code"] == "firewall_approval_pending"
            approval = held.meta[DECISION]["approval_id"]
            answer = httpx.post(
                f"{world.server.url}/v1/approvals/{approval}/approve", headers=world.bearer("dana")
            )
            assert answer.status_code == 200
            assert text(await found.call_tool("export", {"what": mode})) == f"exported {mode}"
            assert (await found.call_tool("export", {"what": mode})).is_error

    asyncio.run(session())
    assert ["drop", {"id": 7}] not in ran(world.calls)


# What the newest revision has no more is still spoken, and has to pass.
@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_everything_else_passes_through(world: World) -> None:
    progress: list[Any] = []

    async def sampled(*_: object) -> Any:
        return SAMPLED

    async def heard(done: float, total: float | None, message: str | None) -> None:
        progress.append((done, total, message))

    async def session() -> None:
        async with client(world, mode="legacy", sampling_callback=sampled) as found:
            await found.send_ping()
            assert (await found.read_resource("crm://motto")).contents[0].text == "customers first"
            assert (await found.get_prompt("greet", {"name": "Ann"})).messages[0].content.text == "Greet Ann."
            assert text(await found.call_tool("ask", {"question": "?"})) == "the model says yes"
            await found.call_tool("slow", {"seconds": 0}, progress_callback=heard)
            answers = await asyncio.gather(*(found.call_tool("get", {"id": n}) for n in range(10)))
            assert [text(it) for it in answers] == [f"customer {n}" for n in range(10)]
            large = "x" * 900_000
            assert text(await found.call_tool("echo", {"payload": large})) == large

    asyncio.run(session())
    assert progress == [(1, 2, "half")]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_call_is_cancelled(world: World, mode: Any) -> None:
    before = ran(world.calls).count(["cancelled", {}])

    async def session() -> None:
        async with client(world, mode=mode) as found:
            slow = asyncio.ensure_future(found.call_tool("slow", {"seconds": 3600}))
            started = ran(world.calls).count(["slow", {"seconds": 3600.0}])
            while ran(world.calls).count(["slow", {"seconds": 3600.0}]) == started:
                await asyncio.sleep(0.02)
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
            while ran(world.calls).count(["cancelled", {}]) == before:
                await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(session(), 60))


def test_a_session_is_its_key_s_alone_and_ends(world: World) -> None:
    session = world.session()
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert world.post(ping, **session).status_code == 200
    assert world.post(ping, "two", **session).status_code == 404
    forged = {**session, "mcp-session-id": session["mcp-session-id"][:-1] + "x"}
    assert world.post(ping, **forged).status_code == 404
    head = {**world.bearer(), **session}
    assert httpx.request("DELETE", world.url(), headers=head).status_code == 200
    assert world.post(ping, **session).status_code == 404


def test_a_run_is_a_session_and_its_events_say_how_calls_ended(world: World) -> None:
    session = world.session()
    for number in (1, "x"):
        params = {"name": "get", "arguments": {"id": number}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        assert world.post(call, **session).status_code == 200

    def newest() -> Any:
        store = Store(world.store)
        try:
            (run,) = store.events.runs(limit=1, before=None)
            return run, store.events.page(Filter(run=run["run"]), limit=9)
        finally:
            store.close()

    def both_ended() -> Any:
        found = newest()
        return found if [row["outcome"] is not None for row in found[1]] == [True, True] else None

    run, (second, first) = eventually(both_ended)
    assert (run["agent"], run["allow"]) == ("one", 2)
    assert run["run"] not in session["mcp-session-id"]
    assert (first["outcome"], second["outcome"]) == ("success", "error")
    assert "id" in second["error"]


def test_a_list_that_is_fetched_later_is_filtered_too(world: World) -> None:
    session = world.session()
    listing = {"jsonrpc": "2.0", "id": 5, "method": "tools/list"}
    streamed = world.post(listing, **session).text
    assert '"get"' in streamed
    assert '"drop"' not in streamed
    first = next(line for line in streamed.splitlines() if line.startswith("id: "))
    head = {
        "accept": "text/event-stream",
        "last-event-id": first.removeprefix("id: "),
        **world.bearer(),
        **session,
    }
    with httpx.stream("GET", world.url(), headers=head, timeout=60) as answer:
        replayed = next(line for line in answer.iter_lines() if line.startswith("data: {"))
    names = [tool["name"] for tool in json.loads(replayed.removeprefix("data: "))["result"]["tools"]]
    assert "get" in names
    assert "drop" not in names


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
GET_CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "get", "arguments": {"id": 1}, "_meta": MODERN},
}
AS_MODERN = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get"}


@pytest.mark.parametrize(
    ("document", "headers", "status", "code"),
    [
        (GET_CALL, AS_MODERN, 200, None),
        (GET_CALL, {**AS_MODERN, "mcp-name": "drop"}, 400, -32020),
        (GET_CALL, {**AS_MODERN, "mcp-method": "ping"}, 400, -32020),
        (GET_CALL, {**AS_MODERN, "mcp-protocol-version": "2031-01-01"}, 400, -32020),
        (b"{", {}, 400, -32700),
        ([GET_CALL], {}, 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', {}, 400, -32700),
        (GET_CALL, {"mcp-session-id": "made-up"}, 404, -32600),
    ],
)
def test_what_contradicts_itself_is_refused(
    world: World, document: Any, headers: dict[str, str], status: int, code: int | None
) -> None:
    answer = world.post(document, **headers)
    assert answer.status_code == status, answer.text
    if code is not None:
        assert answer.json()["error"]["code"] == code


def test_requests_that_do_not_reach_a_server(world: World) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert world.post(ping, name="nowhere").status_code == 404
    assert httpx.post(world.url(), json=ping).status_code == 401
    assert world.post(ping, "dana").status_code == 403
    assert world.post(b"x" * (4 * 1024 * 1024 + 1)).status_code == 413
    assert httpx.put(world.url(), headers=world.bearer()).status_code == 403
    gone = world.post(ping, name="gone")
    assert (gone.status_code, gone.json()["id"]) == (502, 1)
    assert "cannot be asked" in gone.json()["error"]["message"]
    twice = [("mcp-method", "ping"), ("mcp-method", "tools/call"), *world.bearer().items()]
    assert (
        httpx.post(world.url(), json=ping, headers=twice).json()["error"]["message"].endswith("comes twice")
    )


def test_an_open_stream_does_not_keep_the_server_from_stopping(world: World, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text(f"mcp_servers: {{crm: {{url: '{upstream_of(world)}'}}}}\n")
    server = ServerProcess(write_policy(tmp_path / "bundle"), "--settings", settings)
    try:
        eventually(lambda: server.process.poll() is not None or "serving" in server.stderr, 120)
        server.ready()
        answer = httpx.post(f"{server.url}/mcp/crm", json=INITIALIZE, headers={"accept": ACCEPT}, timeout=60)
        head = {"accept": "text/event-stream", "mcp-session-id": answer.headers["mcp-session-id"]}
        with httpx.stream("GET", f"{server.url}/mcp/crm", headers=head, timeout=60) as stream:
            assert stream.status_code == 200
            assert server.stop() == 0
            assert "timeout graceful shutdown" not in server.stderr.lower()
    finally:
        server.kill()


def upstream_of(world: World) -> str:
    settings = next(arg for arg in world.server.process.args if str(arg).endswith("settings.yaml"))  # type: ignore[union-attr]
    line = Path(settings).read_text().splitlines()[1]
    return line.split("'")[1]
