"""Holds on real databases: of those that race, one wins; what ran out or changed is over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from policyc_server.approvals.approval import Approval, Hold
from policyc_server.store import approvals as module
from policyc_server.store.approvals import Decision, TooManyHolds
from policyc_server.store.deliveries import Delivery
from policyc_server.store.store import Store

T = TypeVar("T")

NOW = 1_000_000_000
MINUTE = 60_000_000
HOLD = Hold(
    key="agent-key",
    agent="crm",
    run="run-1",
    session=None,
    surface="enforce",
    stage="mcp",
    tool="payment.send",
    policy="payments",
    rule="large payments",
    rule_digest="d1",
    revision="r1",
    source="payments.yaml:7",
    reason="a person looks",
    reason_code="rule_match",
    risk_factors=("money",),
    approvers=("bob",),
    fingerprint="f" * 64,
    args='{"amount":1}',
    args_masked='{"amount":1}',
    context="{}",
    ttl=60,
)
YES = Decision(True, "bob", "192.0.2.7", "fine")
NO = Decision(False, "eve", "192.0.2.8", None)


def at_once(count: int, act: Callable[[int], T]) -> list[T]:
    results: list[T] = []
    threads = [threading.Thread(target=lambda n=n: results.append(act(n))) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == count
    return results


def actions(store: Store, approval: str) -> list[str]:
    return [entry["action"] for entry in store.approvals.log(approval)]


def test_the_same_call_opens_one_hold(store: Store) -> None:
    opened = at_once(10, lambda _: store.approvals.open(HOLD, NOW, cap=5).id)
    assert len(set(opened)) == 1
    assert actions(store, opened[0]) == ["opened"]
    found = store.approvals.get(opened[0], NOW)
    assert found is not None
    assert (found.state, found.args, found.risk_factors) == ("pending", '{"amount":1}', ("money",))


@pytest.mark.parametrize("field", ["key", "agent", "run", "stage", "tool", "rule", "fingerprint"])
def test_another_call_opens_another_hold(store: Store, field: str) -> None:
    first = store.approvals.open(HOLD, NOW, cap=5)
    assert store.approvals.open(replace(HOLD, **{field: "other"}), NOW, cap=5).id != first.id


def test_the_first_decision_stands(store: Store) -> None:
    approval = store.approvals.open(HOLD, NOW, cap=5).id
    decided = at_once(8, lambda n: store.approvals.decide(approval, NO if n % 2 else YES, NOW + 1, ttl=60))
    assert [won for _, won in decided].count(True) == 1
    stands = {(found.state, found.decided_by) for found, _ in decided if found is not None}
    assert stands in ({("approved", "bob")}, {("denied", "eve")})
    found = store.approvals.get(approval, NOW + 2)
    assert found is not None
    assert found.args is None  # kept for the decision, and no longer


def test_an_approval_passes_once(store: Store) -> None:
    approval = store.approvals.open(HOLD, NOW, cap=5).id
    assert not store.approvals.consume(approval, NOW, attempt=None)
    store.approvals.decide(approval, YES, NOW + 1, ttl=60)
    passed = at_once(8, lambda _: store.approvals.consume(approval, NOW + 2, attempt=None))
    assert passed.count(True) == 1
    assert actions(store, approval) == ["opened", "approved", "consumed"]


def test_the_same_attempt_may_ask_again(store: Store) -> None:
    approval = store.approvals.open(HOLD, NOW, cap=5).id
    store.approvals.decide(approval, YES, NOW + 1, ttl=60)
    asked = [store.approvals.consume(approval, NOW + 2, attempt=name) for name in ("a", "a", "b")]
    assert asked == [True, True, False]


def test_the_same_attempt_passes_for_a_minute_alone(store: Store) -> None:
    hold = replace(HOLD, ttl=3600)
    approval = store.approvals.open(hold, NOW, cap=5).id
    store.approvals.decide(approval, YES, NOW, ttl=3600)
    assert store.approvals.consume(approval, NOW, attempt="a turn")
    assert store.approvals.open(hold, NOW + MINUTE - 1, cap=5, attempt="a turn").id == approval
    assert not store.approvals.consume(approval, NOW + MINUTE, attempt="a turn")
    assert store.approvals.open(hold, NOW + MINUTE, cap=5, attempt="a turn").state == "pending"


@pytest.mark.parametrize("is_decided", [True, False])
def test_a_clock_that_is_set_back_gives_no_more_time(store: Store, is_decided: bool) -> None:
    approval = store.approvals.open(HOLD, NOW, cap=5).id
    if is_decided:
        store.approvals.decide(approval, YES, NOW + 1, ttl=60)
    before = NOW - 6 * MINUTE
    assert not store.approvals.consume(approval, before, attempt=None)
    found = store.approvals.get(approval, before)
    assert found is not None
    assert (found.state, found.cause) == ("expired", "timed_out")


def test_a_clock_that_is_a_little_behind_does_not_matter(store: Store) -> None:
    approval = store.approvals.open(HOLD, NOW, cap=5).id
    store.approvals.decide(approval, YES, NOW, ttl=60)
    assert store.approvals.consume(approval, NOW - 4 * MINUTE, attempt=None)


def test_a_denied_call_does_not_pass(store: Store) -> None:
    approval = store.approvals.open(HOLD, NOW, cap=5).id
    store.approvals.decide(approval, NO, NOW + 1, ttl=60)
    assert not store.approvals.consume(approval, NOW + 2, attempt="a")


def test_time_runs_out(store: Store) -> None:
    waiting = store.approvals.open(HOLD, NOW, cap=5).id
    unused = store.approvals.open(replace(HOLD, run="2"), NOW, cap=5).id
    store.approvals.decide(unused, YES, NOW + 1, ttl=60)
    for approval in (waiting, unused):
        found = store.approvals.get(approval, NOW + 2 * MINUTE)
        assert found is not None
        assert (found.state, found.cause, found.args) == ("expired", "timed_out", None)
    assert not store.approvals.consume(unused, NOW + 2 * MINUTE, attempt=None)
    late, won = store.approvals.decide(waiting, YES, NOW + 2 * MINUTE, ttl=60)
    assert (late and late.state, won) == ("expired", False)
    assert store.approvals.open(HOLD, NOW + 2 * MINUTE, cap=5).id != waiting


def test_a_changed_rule_asks_again(store: Store) -> None:
    before = store.approvals.open(HOLD, NOW, cap=5).id
    after = store.approvals.open(replace(HOLD, rule_digest="d2"), NOW, cap=5).id
    assert after != before
    found = store.approvals.get(before, NOW)
    assert found is not None
    assert (found.state, found.cause) == ("expired", "rule_changed")


def test_holds_of_a_run_are_capped(store: Store) -> None:
    for number in range(3):
        store.approvals.open(replace(HOLD, fingerprint=str(number)), NOW, cap=3)
    with pytest.raises(TooManyHolds):
        store.approvals.open(replace(HOLD, fingerprint="3"), NOW, cap=3)
    assert store.approvals.open(replace(HOLD, fingerprint="1"), NOW, cap=3).state == "pending"
    assert store.approvals.count_pending(NOW) == 3


@pytest.mark.parametrize("whose", [{"key": "another"}, {"agent": "another"}])
def test_nobody_fills_the_run_of_another(store: Store, whose: dict[str, str]) -> None:
    for number in range(3):
        store.approvals.open(replace(HOLD, fingerprint=str(number), **whose), NOW, cap=3)
    assert store.approvals.open(HOLD, NOW, cap=3).state == "pending"


def test_an_agent_does_not_fill_the_queue_by_making_up_runs(store: Store) -> None:
    for number in range(10):
        store.approvals.open(replace(HOLD, run=f"made up {number}"), NOW, cap=1)
    with pytest.raises(TooManyHolds):
        store.approvals.open(replace(HOLD, run="made up 10"), NOW, cap=1)


def test_pages_are_newest_first(store: Store) -> None:
    opened = [store.approvals.open(replace(HOLD, run=str(n)), NOW + n, cap=5).id for n in range(5)]
    page = store.approvals.newest(NOW + 9, limit=2)
    assert [found.id for found in page] == [opened[4], opened[3]]
    assert [found.id for found in store.approvals.newest(NOW + 9, before=page[-1].opened_at)] == opened[2::-1]
    assert store.approvals.newest(NOW + 9, states=("approved",)) == []


def test_tokens_need_the_secret(store: Store) -> None:
    found = store.approvals.open(HOLD, NOW, cap=5)
    secret = store.secret("tokens")
    assert found.token(secret) == found.token(store.secret("tokens"))
    assert found.token(secret) != found.token(store.secret("others"))


def test_what_was_over_for_long_goes_with_its_log_and_deliveries(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DELETED_AT_ONCE", 2)
    url = "https://example.com/"

    def announce(approval: Approval) -> list[Delivery]:
        return [Delivery(approval.id, "opened", url, approval.tool)]

    def opened(tool: str, ttl: int = 60) -> str:
        hold = replace(HOLD, tool=tool, ttl=ttl)
        return store.approvals.open(hold, NOW, cap=9, announce=announce).id

    names = ("pending", "approved", "denied", "used", "nobody answered", "long", "longer")
    ids = {name: opened(name, 9_000 if name == "pending" else 60) for name in names}
    for name in ("approved", "used"):
        store.approvals.decide(ids[name], YES, NOW, ttl=9_000 if name == "approved" else 60)
    store.approvals.consume(ids["used"], NOW, attempt="toolu_1")
    store.approvals.decide(ids["denied"], NO, NOW, ttl=9_000)
    store.approvals.expire(NOW + 2 * MINUTE)
    assert store.approvals.prune(NOW + MINUTE) == 0
    assert store.approvals.prune(NOW + MINUTE + 1) == 4
    kept = {approval.tool for approval in store.approvals.newest(NOW + 2 * MINUTE)}
    # The denial stands for a while yet.
    assert kept == {"pending", "approved", "denied"}
    assert [actions(store, ids[name]) for name in ("used", "long")] == [[], []]
    assert actions(store, ids["denied"]) == ["opened", "denied"]
    claims = (store.deliveries.claim(NOW, urls=[url], lease=1) for _ in range(9))
    assert {delivery.body for delivery in claims if delivery} == kept


def test_replicas_on_two_wordings_do_not_end_each_others_holds(store: Store) -> None:
    wordings = {"A": HOLD, "B": replace(HOLD, rule_digest="d2", revision="r2")}
    for process, hold in wordings.items():
        store.workers.beat(process, {"id": process, "host": "h", "policy": {"revision": hold.revision}})

    def opened(process: str) -> str:
        return store.approvals.open(wordings[process], NOW, cap=9, process=process).id

    first = {process: opened(process) for process in wordings}
    assert first["A"] != first["B"]
    assert {process: opened(process) for process in wordings} == first
    for approval in first.values():
        assert actions(store, approval) == ["opened"]
    # The last server of that revision follows: what it held is over when it asks anew.
    wordings["A"] = replace(HOLD, rule_digest="d3", revision="r3")
    opened("A")
    assert actions(store, first["A"]) == ["opened", "rule_changed"]
    assert actions(store, first["B"]) == ["opened"]


def test_what_waits_is_never_deleted(store: Store) -> None:
    opened = store.approvals.open(HOLD, NOW, cap=9)
    assert store.approvals.prune(NOW + 1_000 * MINUTE) == 0
    found = store.approvals.get(opened.id, NOW)
    assert found is not None
    assert found.state == "pending"
