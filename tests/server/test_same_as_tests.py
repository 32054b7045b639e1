"""The server and ``policyc test`` give the same answers to the same calls in the same order."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from policyc_server.approvals import desk, endpoints, holds
from policyc_server.budgets import counting
from policyc_server.store.database import sqlite_url

from policyc.loading import load_target
from policyc.testing.calls import plain_call
from policyc.testing.playing import Play
from server.approvals.material import TOKEN, As, make_keys
from server.in_process import InProcess

POLICY = """\
policy: agent
default_verdict: allow
rules:
  - {priority: 1, label: spend, tool_name_glob: 'llm.*', verdict: cap_cost, cap_cost_cents: 100}
  - priority: 2
    label: often
    tool_name_glob: http.*
    verdict: deny
    rate: {max: 2, window_seconds: 60, per: run}
  - {priority: 3, label: asked often, verdict: pending_approval, tool_name_glob: 'db.*',
     rate: {max: 1, window_seconds: 60, per: run}, approval: {ttl: 30}}
  - priority: 4
    label: leak
    verdict: deny
    enforce: true
    sequence: {window_seconds: 90, steps: [{match: 'crm.*', min_count: 2}, {match: 'mail.*'}]}
  - {priority: 5, label: hold, tool_name_glob: 'deploy.*', verdict: pending_approval}
"""
CALLS: list[dict[str, Any]] = [
    {"tool": "llm.ask", "cost_cents": 40},
    {"tool": "llm.ask", "args": {"model": "large"}, "cost_cents": 70},
    {"tool": "http.get"},
    {"tool": "db.drop", "args": {"table": "a"}},
    {"tool": "crm.read"},
    {"tool": "mail.send"},
    {"tool": "deploy.x", "args": {"env": "production"}},
    {"tool": "deploy.x", "args": {"env": "staging"}},
    {"tool": "deploy.x", "args": {"env": "staging"}, "cwd": "/elsewhere"},
]
#: Seconds: within and beyond every window and time to live.
WAITS = (1, 20, 31, 60, 91, 901)


class Clock:
    """One clock for both; it starts now, since the server's other threads look at the real one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import time

        self.now = time.time_ns() // 1000
        for module in (desk, endpoints, holds):
            monkeypatch.setattr(module, "microseconds", lambda: self.now)

        class Time:
            time_ns = staticmethod(lambda: self.now * 1000)

        monkeypatch.setattr(counting, "time", Time)


class Served:
    """The server, asked by a caller who sends the token once its call is approved."""

    def __init__(self, client: InProcess, secrets: dict[str, str], run: str) -> None:
        self._agent = As(client.request, secrets["shop-agent"])
        self._reviewer = As(client.request, secrets["dana"])
        self._run = run
        self._waiting: dict[str, str] = {}
        self._last: str | None = None

    def decide(self, call: dict[str, Any]) -> dict[str, Any]:
        name = str(sorted(call.items()))
        token = self._token(name)
        headers = {} if token is None else {TOKEN: token}
        decision = self._agent.post("/v1/evaluate", {**call, "run": self._run}, **headers).json()
        approval = decision.get("approval_id")
        if approval is not None and approval != self._waiting.get(name):
            self._waiting[name] = self._last = approval
        return decision

    def settle(self, approve: bool) -> bool:
        if self._last is None:
            return False
        answer = (self._reviewer.approve if approve else self._reviewer.deny)(self._last)
        return answer.status_code == 200

    def _token(self, name: str) -> str | None:
        approval = self._waiting.get(name)
        if approval is None:
            return None
        found = self._agent.get(f"/v1/approvals/{approval}").json()
        return found["token"] if found["state"] == "approved" else None


@pytest.mark.slow
def test_any_sequence_is_decided_alike(
    client_of: Callable[..., InProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.yaml").write_text(POLICY)
    (tmp_path / "state").mkdir()
    secrets = make_keys(sqlite_url(tmp_path / "state"))
    clock = Clock(monkeypatch)
    client = client_of(tmp_path / "agent.yaml", state=tmp_path / "state")
    loaded = load_target(tmp_path / "agent.yaml")
    said = set()
    for seed in range(25):
        choose = random.Random(seed)
        served = Served(client, secrets, run=f"run-{seed}")
        play = Play(loaded.evaluator, None, clock.now)
        for _ in range(20):
            step = choose.choice(["call"] * 6 + ["wait", "approve", "approve", "deny"])
            if step == "wait":
                clock.now += choose.choice(WAITS) * 1_000_000
                play.now = clock.now
            elif step == "call":
                call = choose.choice(CALLS)
                decision = served.decide(call)
                outcome = play.decide(plain_call({**call, "agent": "shop", "run": f"run-{seed}"}))
                assert (decision["verdict"], decision["rule"], decision["reason_code"]) == (
                    outcome.verdict,
                    outcome.rule,
                    outcome.reason_code,
                ), (seed, call)
                if not outcome.reason_code.startswith("approv"):  # who decided differs
                    assert decision["reason"] == outcome.reason
                said.add((outcome.rule, outcome.reason_code))
            else:
                assert served.settle(step == "approve") is (play.settle(step == "approve") is None), seed
    # Else the sequences would show little.
    assert {rule for rule, _ in said} == {"spend", "often", "asked often", "leak", "hold", None}
    assert {"approved", "approval_denied"} <= {code for _, code in said}
