"""Whatever order things come in: a decision stands, and an approval passes once."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from policyc_server.store.approvals import Decision, TooManyHolds
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store

from server.store.test_approvals import HOLD, NOW

pytestmark = pytest.mark.slow


_SECOND = 1_000_000
_CAP = 3

picks = st.integers(0, 50)


class Approvals(RuleBasedStateMachine):
    """``decided``, ``passed``: what the store said first, which it may not take back."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store(sqlite_url(Path(self.folder.name)))
        self.now = NOW
        self.opened: list[str] = []
        self.decided: dict[str, tuple[bool, str]] = {}
        self.passed: dict[str, str | None] = {}

    @rule(call=st.integers(0, 5), digest=st.sampled_from(["d1", "d2"]))
    def open(self, call: int, digest: str) -> None:
        try:
            hold = replace(HOLD, fingerprint=str(call), rule_digest=digest)
            found = self.store.approvals.open(hold, self.now, cap=_CAP)
        except TooManyHolds:
            assert self.store.approvals.count_pending(self.now) >= _CAP
            return
        assert found.rule_digest == digest
        assert found.id not in self.passed
        self.opened.append(found.id)

    @precondition(lambda self: self.opened)
    @rule(pick=picks, approve=st.booleans(), by=st.sampled_from(["bob", "eve"]))
    def decide(self, pick: int, approve: bool, by: str) -> None:
        approval = self.opened[pick % len(self.opened)]
        found, is_first = self.store.approvals.decide(
            approval, Decision(approve, by, "here", None), self.now, ttl=60
        )
        assert found is not None
        if is_first:
            assert approval not in self.decided
            self.decided[approval] = (approve, by)
        elif approval in self.decided:
            assert found.decided_by == self.decided[approval][1]

    @precondition(lambda self: self.opened)
    @rule(pick=picks, attempt=st.sampled_from([None, "a", "b"]))
    def consume(self, pick: int, attempt: str | None) -> None:
        approval = self.opened[pick % len(self.opened)]
        if not self.store.approvals.consume(approval, self.now, attempt=attempt):
            return
        assert self.decided[approval][0]
        assert approval not in self.passed or (attempt is not None and self.passed[approval] == attempt)
        self.passed[approval] = attempt

    @rule(seconds=st.integers(1, 40))
    def wait(self, seconds: int) -> None:
        self.now += seconds * _SECOND

    @invariant()
    def only_what_waits_has_arguments(self) -> None:
        for approval in set(getattr(self, "opened", ())):
            found = self.store.approvals.get(approval, self.now)
            assert found is not None
            assert (found.args is not None) == (found.state == "pending")
            assert (found.state == "consumed") == (approval in self.passed)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()


TestApprovals = Approvals.TestCase
TestApprovals.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
