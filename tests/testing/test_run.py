"""Cases under a policy: what passes, what fails and how that is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_payloads import codex

from policyc.engine.plan import Plan
from policyc.loading import load_target
from policyc.testing.run import Runner
from policyc.testing.suite import checked, read_suite
from testing.on_disk import outcomes, read, results, write

PAY = "call: {tool: payment.pay, args: {amount_cents: 5}}"
TOO_MUCH = "call: {tool: payment.pay, args: {amount_cents: 100001}}"


def one(rest: str) -> str:
    return f"tests:\n  - {{name: one, {rest}}}\n"


@pytest.mark.parametrize(
    ("rest", "passes"),
    [
        (f"{PAY}, expect: allow", True),
        (f"{PAY}, expect: deny", False),
        (f"{PAY}, expect: {{verdict: allow, rule: pay}}", True),
        (f"{PAY}, expect: {{rule: cap}}", False),
        (f"{PAY}, expect: {{rule: null}}", False),
        ("call: {tool: crm.get}, expect: {verdict: deny, rule: null, reason_code: default_verdict}", True),
        (f"{TOO_MUCH}, expect: {{verdict: deny, reason: much, reason_code: too_much, policy: p}}", True),
        (f"{TOO_MUCH}, expect: {{reason: little}}", False),
        (f"{TOO_MUCH}, expect: {{reason_code: too}}", False),
        (f"{TOO_MUCH}, expect: {{policy: q}}", False),
        ("call: {tool: mail.send, args: {to: a@b.example}}, expect: sanitize", True),
        ("call: {tool: mail.send, args: {to: a@b.example}}, expect: {args: {to: '[redacted:email]'}}", True),
        ("call: {tool: mail.send, args: {to: a@b.example}}, expect: {args: {to: a@b.example}}", False),
        ("call: {tool: mail.send, args: {to: true}}, expect: {args: {to: true}}", True),
        ("call: {tool: mail.send, args: {to: true}}, expect: {args: {to: 1}}", False),
        (f"{PAY}, expect: {{would_be: null}}", True),
        (f"{PAY}, expect: {{would_be: deny}}", False),
        (f"policy: q, {PAY}, expect: audit", True),
        (f"policy: q, {PAY}, expect: {{would_be: deny, verdict: audit}}", True),
    ],
)
def test_a_decision_is_held_against_what_is_expected(tmp_path: Path, rest: str, passes: bool) -> None:
    shadow = "shadow: true\nrules: [{priority: 1, label: q, verdict: deny}]\n"
    assert outcomes(tmp_path, one(rest), q=shadow) == [passes]


def test_a_failure_says_what_came_instead_and_why(tmp_path: Path) -> None:
    (result,) = results(tmp_path, one(f"{TOO_MUCH}, expect: {{verdict: allow, rule: pay}}"))
    failure = result.failure
    assert failure is not None
    assert failure.outcome is not None
    assert [(it.key, it.expected, it.got) for it in failure.differences] == [
        ("verdict", "allow", "deny"),
        ("rule", "pay", "cap"),
    ]
    assert failure.outcome.source == "policies/p.yaml:3"
    assert [entry["rule"] for entry in failure.trace.documents()] == ["cap"]
    assert failure.line == 2


def test_the_trace_leaves_out_rules_about_other_tools(tmp_path: Path) -> None:
    (result,) = results(tmp_path, one("call: {tool: deploy.x}, expect: allow"))
    assert result.failure is not None
    assert result.failure.trace.short_lines() == [
        'matched  20  "hold"  policies/p.yaml:13',
        "2 more rules were passed over",
    ]


BUDGETS = """\
default_verdict: allow
rules:
  - {priority: 1, label: spend, tool_name_glob: 'llm.*', verdict: cap_cost, cap_cost_cents: 100}
  - priority: 2
    label: often
    tool_name_glob: http.*
    verdict: deny
    rate: {max: 1, window_seconds: 60, per: run}
  - priority: 3
    label: leak
    verdict: deny
    enforce: true
    sequence: {window_seconds: 600, steps: [{match: crm.read}, {match: mail.send}]}
"""


@pytest.mark.parametrize(
    ("steps", "passes"),
    [
        (
            "{call: {tool: http.a}, expect: allow}, {call: {tool: http.b}, expect: {rule: often}}",
            True,
        ),
        ("{call: {tool: http.a}, expect: allow}, {call: {tool: http.b}, expect: allow}", False),
        ("{call: {tool: http.a}, expect: allow}, {after: 60s}, {call: {tool: http.b}, expect: allow}", True),
        ("{call: {tool: http.a}, expect: allow}, {after: 59s}, {call: {tool: http.b}, expect: allow}", False),
        (
            "{call: {tool: http.a}, expect: allow}, {call: {tool: http.a, run: other}, expect: allow}",
            True,
        ),
        (
            "{call: {tool: llm.a, cost_cents: 100}, expect: allow},"
            "{call: {tool: llm.a, cost_cents: 1}, expect: {verdict: deny, reason: has spent 101 cents}}",
            True,
        ),
        ("{call: {tool: crm.read}, expect: allow}, {call: {tool: mail.send}, expect: {rule: leak}}", True),
        (
            "{call: {tool: crm.read}, expect: allow}, {after: 10m}, {call: {tool: mail.send}, expect: allow}",
            True,
        ),
        ("{call: {tool: mail.send}, expect: allow}", True),
        ("{call: {tool: http.a, run: null}, expect: {verdict: deny, reason_code: budget_unknown}}", True),
    ],
)
def test_counters_are_kept_between_the_calls_of_a_sequence(tmp_path: Path, steps: str, passes: bool) -> None:
    # Twice: what one run has counted is nothing to the next.
    tests = ", ".join(f"{{name: {name}, sequence: [{steps}]}}" for name in ("a", "b"))
    assert outcomes(tmp_path, f"tests: [{tests}]\n", BUDGETS) == [passes] * 2


def test_a_window_begins_where_the_servers_begins(tmp_path: Path) -> None:
    text = "now: 2026-01-01T00:00:59Z\ntests: [{name: s, sequence: [%s, {after: 1s}, %s]}]\n"
    call = "{call: {tool: http.a}, expect: allow}"
    assert outcomes(tmp_path, text % (call, call), BUDGETS) == [True]


HOLD = "{call: {tool: deploy.x, args: {a: 1}}, expect: %s}"
WAITS, PASSES, DENIED = (
    HOLD % it for it in ("pending_approval", "{reason_code: approved}", "{reason_code: approval_denied}")
)


@pytest.mark.parametrize(
    ("steps", "passes"),
    [
        ((WAITS, WAITS), True),
        ((WAITS, "{approve: last}", PASSES, WAITS), True),
        ((WAITS, "{approve: last}", PASSES, PASSES), False),
        (
            (
                WAITS,
                "{approve: last}",
                "{call: {tool: deploy.x, args: {a: 2}}, expect: pending_approval}",
                PASSES,
            ),
            True,
        ),
        ((WAITS, "{approve: last}", "{after: 60s}", WAITS), True),
        ((WAITS, "{approve: last}", "{after: 59s}", PASSES), True),
        ((WAITS, "{deny: last}", DENIED, DENIED, "{after: 60s}", WAITS), True),
        (("{after: 999999999d}", WAITS, "{deny: last}", DENIED), True),
        (("{approve: last}",), False),
        ((WAITS, "{approve: last}", "{deny: last}"), False),
        ((WAITS, "{after: 60s}", "{approve: last}"), False),
    ],
)
def test_a_hold_waits_and_passes_once(tmp_path: Path, steps: tuple[str, ...], passes: bool) -> None:
    assert outcomes(tmp_path, f"tests: [{{name: s, sequence: [{', '.join(steps)}]}}]\n") == [passes]


def test_a_step_that_cannot_be_taken_says_why(tmp_path: Path) -> None:
    (result,) = results(tmp_path, "tests:\n  - name: s\n    sequence:\n      - {approve: last}\n")
    assert result.failure is not None
    assert (result.failure.line, result.failure.problem) == (
        4,
        "nothing to decide: no call was held before this",
    )


def test_bindings_choose_the_policy_and_a_test_may(tmp_path: Path) -> None:
    target = write(
        tmp_path,
        "tests:\n  - {name: a, call: {tool: x, agent: crm-1}, expect: {policy: q}}\n"
        "  - {name: b, call: {tool: x, agent: y}, expect: {policy: p}}\n"
        "  - {name: c, policy: q, call: {tool: x, agent: y}, expect: {policy: q}}\n",
        q="- {priority: 1, verdict: allow}\n",
    )
    (target / "bundle.yaml").write_text(
        "bundle: b\ndefault_policy: p\nbindings: [{agents: ['crm-*'], policy: q}]\n"
    )
    suite, loaded = read(target)
    assert all(result.passed for result in Runner(suite, loaded).results())
    assert [case.name for case in Runner(suite, loaded).decided_by(["q"])] == ["a", "c"]


def test_a_policy_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    target = write(tmp_path, f"policy: pp\n{one(f'{PAY}, expect: allow')}")
    (found,) = checked(read_suite(target), load_target(target).plan).diagnostics
    assert (found.code, found.line, found.hint) == ("unknown_policy", 3, "there are: `p`")


def test_changed_policies_still_pass_or_do_not(tmp_path: Path) -> None:
    suite, loaded = read(write(tmp_path, one(f"{TOO_MUCH}, expect: deny")))
    runner = Runner(suite, loaded)
    assert runner.still_passes(loaded.plan.policies)
    data = {**loaded.plan.data}
    policy = dict(data["policies"]["p"])  # type: ignore[index]
    without = {**data, "policies": {"p": {**policy, "rules": policy["rules"][1:]}}}
    changed = Plan.load(without).policies
    assert not runner.still_passes(changed)
    assert runner.still_passes(changed, only=[])
    assert all(result.passed for result in runner.results())


SEVERAL = """\
default_verdict: allow
rules:
  - {priority: 1, label: a, verdict: pending_approval, approval: {approvers: [ann]},
     args_match: {clauses: [{path: $.path, op: eq, value: /a}]}}
  - {priority: 2, label: b, verdict: pending_approval, approval: {approvers: [bob]},
     args_match: {clauses: [{path: $.path, op: eq, value: /b}]}}
"""


def test_a_call_of_parts_that_nobody_may_approve_together_is_refused(tmp_path: Path) -> None:
    patch = "*** Begin Patch\\n*** Delete File: /a\\n*** Delete File: /b\\n*** End Patch\\n"
    payload = json.dumps(codex("apply_patch", {"command": patch.replace("\\n", "\n")}))
    text = (
        f"tests: [{{name: x, payload: {payload}, expect: {{verdict: deny, reason_code: approval_split}}}}]\n"
    )
    assert outcomes(tmp_path, text, SEVERAL) == [True]
    assert outcomes(tmp_path, text, SEVERAL.replace("bob", "ann")) == [False]
