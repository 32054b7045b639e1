"""`/v1/events` and its kin, over real servers and a real store."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from policyc_server.store.database import sqlite_url

from server.approvals.material import make_keys, revoke
from server.in_process import InProcess
from server.material import PAYMENT
from server.process import ServerProcess, eventually

LARGE = {"tool": "payment.transfer", "args": {"amount_cents": 10**7}, "agent": "payer", "run": "run-9"}


@pytest.fixture
def kept(client_of: Callable[..., InProcess], artifact: Path, tmp_path: Path) -> InProcess:
    return client_of(artifact, state=tmp_path / "state")


def events(client: InProcess, query: str = "", count: int = 1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def arrived() -> bool:
        found[:] = client.get(f"/v1/events{query}").json()["events"]
        return len(found) == count

    eventually(arrived)
    return found


def test_every_surface_leaves_one_event(kept: InProcess) -> None:
    decided = kept.post("/v1/evaluate", LARGE).json()
    kept.post("/v1/enforce", PAYMENT)
    kept.post("/v1/hooks/pre_tool_execution", {"tool_call": {"name": "read_file", "args": {"path": "a"}}})
    found = events(kept, count=3)
    assert [event["surface"] for event in found] == ["pre_tool_execution", "enforce", "evaluate"]
    event = found[-1]
    assert event["id"] == decided["decision_id"]
    assert (event["verdict"], event["rule"]) == (decided["verdict"], decided["rule"])
    assert (event["agent"], event["run"], event["args"]) == ("payer", "run-9", {"amount_cents": 10**7})
    assert event["revision"] == decided["revision"]


def test_a_list_of_calls_is_a_list_of_events(kept: InProcess) -> None:
    kept.post("/v1/evaluate", [PAYMENT, LARGE])
    assert len(events(kept, count=2)) == 2
    assert len(events(kept, "?agent=payer", count=1)) == 1


def test_a_run_has_counts_and_a_timeline(kept: InProcess) -> None:
    kept.post("/v1/evaluate", [LARGE, LARGE])
    events(kept, count=2)
    (run,) = kept.get("/v1/runs").json()["runs"]
    assert (run["run"], run["deny"]) == ("run-9", 2)
    assert len(kept.get("/v1/runs/run-9").json()["events"]) == 2
    assert kept.get("/v1/runs/other").status_code == 404


def test_pages_are_linked(kept: InProcess) -> None:
    kept.post("/v1/evaluate", [LARGE] * 5)
    events(kept, count=5)
    first = kept.get("/v1/events?limit=3").json()
    second = kept.get(f"/v1/events?limit=3&before={first['next']}").json()
    assert [len(page["events"]) for page in (first, second)] == [3, 2]
    assert second["next"] is None


def test_all_of_them_as_json_lines(kept: InProcess) -> None:
    kept.post("/v1/evaluate", [LARGE] * 3)
    events(kept, count=3)
    lines = kept.get("/v1/events?format=jsonl").text.splitlines()
    assert [json.loads(line)["tool"] for line in lines] == ["payment.transfer"] * 3


@pytest.mark.parametrize(
    "query",
    ["verdict=maybe", "limit=0", "limit=1001", "limit=x", "since=yesterday", "verdicts=deny", "run=a&run=b"],
)
def test_what_is_not_understood_is_refused(kept: InProcess, query: str) -> None:
    answer = kept.get(f"/v1/events?{query}")
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid_query"


def test_without_a_store_there_are_no_events(client: InProcess) -> None:
    assert client.get("/v1/events").status_code == 404
    assert client.status()["store"] is None


def test_a_post_event_ends_the_decision_it_follows(kept: InProcess) -> None:
    event = {"tool_call": {"name": "code_execution", "args": {"code": "ls"}}, "environment_id": "env-1"}
    kept.post("/v1/hooks/pre_tool_execution", event)
    kept.post("/v1/hooks/post_tool_execution", {**event, "error": "exit status 1"})
    (found,) = events(kept, "?run=env-1")
    eventually(lambda: events(kept)[0]["outcome"] == "error")
    assert events(kept)[0]["error"] == "exit status 1"
    assert found["tool"] == "code_execution"


def test_a_stream_goes_on_where_it_was_left(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path
) -> None:
    server = serve(artifact, "--state", tmp_path / "state").ready()
    heard: list[str] = []
    opened = threading.Event()

    def listen(headers: dict[str, str], count: int) -> None:
        with httpx.stream("GET", f"{server.url}/v1/events/stream", headers=headers, timeout=20) as answer:
            opened.set()
            for line in answer.iter_lines():
                if line.startswith(("id:", "data:")):
                    heard.append(line)
                if sum(each.startswith("data:") for each in heard) >= count:
                    return

    listener = threading.Thread(target=listen, args=({}, 1))
    listener.start()
    assert opened.wait(10)
    httpx.post(f"{server.url}/v1/evaluate", json=LARGE)
    listener.join(10)
    assert json.loads(heard[1].removeprefix("data: "))["agent"] == "payer"
    httpx.post(f"{server.url}/v1/evaluate", json=[PAYMENT, PAYMENT])
    last = heard[0].removeprefix("id: ")
    heard.clear()
    listen({"Last-Event-ID": last}, 2)
    assert [json.loads(line[6:])["tool"] for line in heard if line.startswith("data:")] == [
        PAYMENT["tool"]
    ] * 2


def test_an_open_stream_does_not_keep_the_server(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path
) -> None:
    server = serve(artifact, "--state", tmp_path / "state").ready()
    with httpx.stream("GET", f"{server.url}/v1/events/stream", timeout=20) as answer:
        lines = answer.iter_lines()
        next(lines)
        server.process.terminate()
        list(lines)
    assert server.process.wait(5) == 0


@pytest.mark.parametrize("is_open", [False, True], ids=["key revoked", "first key made"])
def test_a_stream_ends_with_what_let_it_in(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path, is_open: bool
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    secret = "" if is_open else make_keys(sqlite_url(state), "dana")["dana"]
    server = serve(artifact, "--state", state).ready()
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    with httpx.stream("GET", f"{server.url}/v1/events/stream", headers=headers, timeout=20) as answer:
        lines = answer.iter_lines()
        assert next(lines) == ": open"
        if is_open:
            make_keys(sqlite_url(state), "dana")
        else:
            revoke(state, "dana")
        assert not any(line.startswith("data:") for line in lines)
