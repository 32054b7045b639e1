"""Budgets over the API and at hooks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from server.in_process import InProcess

POLICY = """\
default_verdict: allow
rules:
  - {priority: 1, label: cap, tool_name_glob: 'llm.*', verdict: cap_cost, cap_cost_cents: 100}
  - priority: 2
    label: often
    tool_name_glob: [http.*, shell.exec]
    verdict: deny
    rate: {max: 2, window_seconds: 2592000}
  - priority: 3
    label: leak
    verdict: deny
    enforce: true
    sequence: {window_seconds: 600, steps: [{match: 'crm.*', min_count: 2}, {match: 'mail.*'}]}
"""
SHELL = {"tool_call": {"name": "code_execution", "args": {"code": "ls"}}, "environment_id": "e"}


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    (tmp_path / "p.yaml").write_text(POLICY)
    return tmp_path / "p.yaml"


@pytest.fixture
def counting(client_of: Callable[..., InProcess], policy: Path, tmp_path: Path) -> InProcess:
    return client_of(policy, state=tmp_path / "state")


def test_enforce_blocks_the_call_beyond_the_rate(counting: InProcess) -> None:
    answers = [counting.post("/v1/enforce", {"tool": "http.get", "agent": "a"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 400]
    assert "call 3 of this agent within 2592000 s, 2 may pass" in answers[2].json()["error"]["message"]
    assert counting.verdict({"tool": "http.get", "agent": "b"}) == "allow"


def test_a_list_is_counted_in_its_order(counting: InProcess) -> None:
    calls = [{"tool": tool, "run": "r"} for tool in ("crm.a", "mail.x", "crm.b", "mail.x", "fs.x")]
    decisions = counting.post("/v1/evaluate", calls).json()
    assert [decision["verdict"] for decision in decisions] == ["allow", "allow", "allow", "deny", "allow"]


def test_a_run_reports_what_it_spends(counting: InProcess) -> None:
    def verdict(run: str, cents: int) -> str:
        return counting.verdict({"tool": "llm.ask", "run": run, "cost_cents": cents})

    assert [verdict("r", 60), verdict("r", 40), verdict("r", 1), verdict("s", 0)] == [
        "allow",
        "allow",
        "deny",
        "allow",
    ]


@pytest.mark.parametrize("cents", [-1, 1.0, True, "1", None, 10**13])
def test_cents_are_whole_and_positive(counting: InProcess, cents: Any) -> None:
    answer = counting.post("/v1/evaluate", {"tool": "t", "cost_cents": cents})
    assert (answer.status_code, answer.json()["error"]["path"]) == (422, "$.cost_cents")


def test_hooks_count(counting: InProcess) -> None:
    answers = [counting.post("/v1/hooks/pre_tool_execution", SHELL).json() for _ in range(3)]
    assert [answer["decision"] for answer in answers] == ["allow", "allow", "deny"]


def test_a_lockdown_counts_nothing(counting: InProcess) -> None:
    counting.post("/v1/lockdown", {"on": True})
    assert [counting.verdict({"tool": "http.get"}) for _ in range(5)] == ["deny"] * 5
    counting.post("/v1/lockdown", {"on": False})
    assert [counting.verdict({"tool": "http.get"}) for _ in range(3)] == ["allow", "allow", "deny"]


def test_without_a_store_a_budget_answers_closed(client_of: Callable[..., InProcess], policy: Path) -> None:
    decision = client_of(policy).post("/v1/evaluate", {"tool": "http.get"}).json()
    assert (decision["verdict"], decision["reason_code"]) == ("deny", "budget_unknown")


def test_what_cannot_be_counted_is_told(counting: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets = counting.app._kept.budgets  # type: ignore[union-attr]

    def fail(*_: object, **__: object) -> None:
        raise OperationalError("INSERT", None, Exception("disk full\nand more"))

    assert counting.status()["budgets"] == {"failed": 0, "error": None}
    with monkeypatch.context() as broken:
        broken.setattr(budgets._store, "count", fail)
        assert counting.verdict({"tool": "http.get"}) == "deny"
    assert counting.status()["budgets"] == {"failed": 1, "error": "disk full"}
    text = counting.get("/metrics").text
    assert "policyc_budgets_uncounted_total 1.0" in text
    assert "policyc_budgets_failing 1.0" in text
    counting.verdict({"tool": "http.get"})
    assert counting.status()["budgets"] == {"failed": 1, "error": None}
