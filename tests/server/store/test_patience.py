"""A database that neither works nor fails: whoever waits for it is answered all the same."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import agent_payloads as agents
import pytest
from policyc_server.approvals import health
from policyc_server.events import writer
from policyc_server.store import patience
from policyc_server.store.approvals import ApprovalStore
from policyc_server.store.counters import CounterStore
from policyc_server.store.database import sqlite_url
from policyc_server.store.events import EventStore

from server.approvals.material import DEPLOY, As, error, make_keys, reason
from server.in_process import InProcess
from server.material import POLICY
from server.process import eventually

RATED = """\
  - priority: 1
    label: seldom
    tool_name_glob: "*"
    rate: {max: 9, window_seconds: 60, per: tool}
    verdict: deny
"""


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[type, str], None]]:
    """Makes a method of a store hang until the test is over."""
    monkeypatch.setattr(patience, "PATIENCE", 0.2)
    monkeypatch.setattr(writer, "PATIENCE", 0.2)
    over = threading.Event()

    def hang(store: type, method: str) -> None:
        whole = getattr(store, method)
        monkeypatch.setattr(store, method, lambda *args, **more: over.wait() and whole(*args, **more))

    yield hang
    over.set()


@pytest.fixture
def agent(client_of: Callable[..., InProcess], tmp_path: Path) -> Callable[..., tuple[InProcess, As]]:
    def make(rules: str = "", **settings: Any) -> tuple[InProcess, As]:
        policy = tmp_path / "agent.yaml"
        policy.write_text(POLICY.format(cap=1) + rules)
        secrets = make_keys(sqlite_url(tmp_path), "shop-agent", "dana")
        client = client_of(policy, state=tmp_path, **settings)
        return client, As(client.request, secrets["shop-agent"])

    return make


Agent = Callable[..., tuple[InProcess, As]]
Hang = Callable[[type, str], None]


def test_a_hold_that_cannot_be_kept_in_time_is_denied(agent: Agent, hanging: Hang) -> None:
    client, shop = agent()
    hanging(ApprovalStore, "open")
    assert reason(shop.enforce(DEPLOY)) == "approval_unavailable"
    found = client.app._approvals
    assert found is not None
    assert isinstance(found.health, health.ApprovalHealth)
    assert "has not answered" in str(found.health.error)


def test_a_hook_is_denied_while_calls_cannot_be_counted(agent: Agent, hanging: Hang) -> None:
    _, shop = agent(RATED)
    hanging(CounterStore, "count")
    answer = shop.post("/v1/hooks/claude-code", agents.claude("Read", {"file_path": "/a"}))
    assert answer.json()["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_request_ends_with_its_deadline(
    agent: Agent, hanging: Hang, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, shop = agent(RATED, deadline=0.1)
    monkeypatch.setattr(patience, "PATIENCE", 60.0)
    hanging(CounterStore, "count")
    for path in ("/v1/enforce", "/v1/evaluate"):
        late = shop.post(path, {"tool": "crm.read"})
        assert (late.status_code, error(late)) == (408, "timeout")
    hook = shop.post("/v1/hooks/pre_tool_execution", {"tool_call": {"name": "crm.read", "args": {}}})
    assert (hook.status_code, hook.json()["decision"]) == (200, "deny")


def test_a_durable_event_that_is_not_committed_in_time_leaves_no_decision(
    agent: Agent, hanging: Hang
) -> None:
    client, shop = agent(durable_events=True)
    hanging(EventStore, "add")
    answer = shop.enforce({"tool": "crm.read"})
    assert (answer.status_code, error(answer)) == (503, "event_not_recorded")
    kept = client.app._kept
    assert kept is not None
    eventually(lambda: "has not answered" in str(kept.writer.status().error))
