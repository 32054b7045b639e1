"""The decision log: off the request path, bounded, and honest about what it lost."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from policyc_server.jsonlines import JsonLinesSink
from policyc_server.sink import DecisionEvent

from server.in_process import InProcess
from server.material import PAYMENT
from server.process import eventually

FIELDS = [
    "event", "at", "decision_id", "surface", "tool", "stage", "agent", "run", "session", "environment_id",
    "verdict", "allowed", "rule", "policy", "reason_code", "shadow", "would_be", "revision", "latency_us",
]  # fmt: skip


def event(number: int = 0) -> DecisionEvent:
    return DecisionEvent(
        "decision", datetime.now(UTC), f"id-{number}", "evaluate", "t", "mcp", None, None, None, None,
        "allow", True, None, "p", "default_verdict", False, None, "r", 7,
    )  # fmt: skip


@pytest.fixture
def open_sink(tmp_path: Path) -> Iterator[Callable[..., JsonLinesSink]]:
    sinks: list[JsonLinesSink] = []

    def make(path: Path = tmp_path / "decisions.jsonl", limit: int = 10_000) -> JsonLinesSink:
        sinks.append(JsonLinesSink(path, limit))
        return sinks[-1]

    yield make
    for sink in sinks:
        sink.close(0.1)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_event_is_a_line_in_order(open_sink: Callable[..., JsonLinesSink], tmp_path: Path) -> None:
    sink = open_sink()
    for number in range(1200):
        sink.record(event(number))
    sink.close(5)
    written = lines(tmp_path / "decisions.jsonl")
    assert [line["decision_id"] for line in written] == [f"id-{number}" for number in range(1200)]
    assert list(written[0]) == FIELDS
    assert datetime.fromisoformat(written[0]["at"]).tzinfo is not None
    status = sink.status()
    assert (status.written, status.dropped, status.waiting, status.error) == (1200, 0, 0, None)
    assert (tmp_path / "decisions.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_rotated_file_is_opened_again(open_sink: Callable[..., JsonLinesSink], tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    sink = open_sink()
    sink.record(event(1))
    eventually(lambda: sink.status().written == 1)
    os.rename(path, tmp_path / "decisions.jsonl.1")
    sink.record(event(2))
    eventually(lambda: sink.status().written == 2)
    assert [line["decision_id"] for line in lines(path)] == ["id-2"]


def test_a_hanging_disk_costs_events_only(open_sink: Callable[..., JsonLinesSink], tmp_path: Path) -> None:
    """Row 19: opening a pipe that nobody reads hangs for ever."""
    os.mkfifo(tmp_path / "pipe")
    sink = open_sink(tmp_path / "pipe", 600)
    started = time.perf_counter()
    for number in range(2000):
        sink.record(event(number))
    assert time.perf_counter() - started < 0.5
    sink.close(0.2)
    assert (sink.status().written, sink.status().dropped) == (0, 2000)
    with open(tmp_path / "pipe", "rb") as reader:  # lets the writer go
        while reader.read(65536):
            pass


def test_an_unwritable_file_is_reported_and_tried_again(
    open_sink: Callable[..., JsonLinesSink], tmp_path: Path
) -> None:
    path = tmp_path / "decisions.jsonl"
    path.mkdir()
    sink = open_sink()
    sink.record(event(1))
    eventually(lambda: "directory" in (sink.status().error or ""))
    path.rmdir()
    eventually(lambda: sink.status().written == 1)
    assert sink.status().error is None
    assert sink.status().dropped == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_counted(open_sink: Callable[..., JsonLinesSink]) -> None:
    sink = open_sink(Path("/dev/full"), 5)
    for number in range(10):
        sink.record(event(number))
    eventually(lambda: "space" in (sink.status().error or ""))
    sink.close(3)
    assert (sink.status().written, sink.status().dropped) == (0, 10)


def test_decisions_are_logged_without_their_arguments(
    client_of: Callable[..., InProcess], artifact: Path, tmp_path: Path
) -> None:
    path = tmp_path / "decisions.jsonl"
    client = client_of(artifact, decisions_log=path)
    call = {"tool": "payment.transfer", "args": {"amount_cents": 999999, "iban": "SECRET"}, "agent": "a"}
    answer = client.post("/v1/evaluate", call).json()
    client.post("/v1/enforce", {**PAYMENT, "run": "r" * 5000})
    post = {"tool_call": {"name": "write_file", "args": {"path": "SECRET"}}, "environment_id": "env_1"}
    client.post("/v1/hooks/pre_tool_execution", post)
    client.post("/v1/hooks/post_tool_execution", post)
    eventually(lambda: client.status()["decision_log"]["written"] == 4)
    first, second, third, fourth = lines(path)
    assert "SECRET" not in path.read_text()
    assert first["decision_id"] == answer["decision_id"]
    assert (first["surface"], first["verdict"], first["rule"], first["revision"], first["agent"]) == (
        "evaluate", "deny", "cap payment amount", answer["revision"], "a",
    )  # fmt: skip
    assert len(second["run"]) == 200
    assert (third["event"], third["surface"]) == ("decision", "pre_tool_execution")
    assert (fourth["event"], fourth["surface"], fourth["verdict"], fourth["environment_id"]) == (
        "completed", "post_tool_execution", None, "env_1",
    )  # fmt: skip
