"""What becomes of mutants, of real bundles: a pasted test kills, and nothing that differs is called equal."""

from __future__ import annotations

from analysis.policies import documents, policies
from hypothesis import given, settings

from policyc.building import compile_path
from policyc.engine.calls import read_call
from policyc.engine.evaluate import Evaluator
from policyc.engine.walk import decide
from policyc.loading import Loaded
from policyc.testing.mutation.entries import entry_lines
from policyc.testing.mutation.judging import Judge
from policyc.testing.mutation.mutants import mutants_of
from policyc.testing.mutation.run import mutate
from policyc.testing.suite import Suite
from testing.mutation.test_walks import numbered
from testing.on_disk import read, write

POLICY = """\
default_verdict: deny
rules:
  - priority: 5
    label: cap
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount_cents, op: gt, value: 100000}
    verdict: deny
  - {priority: 10, label: pay, tool_name_glob: "payment.*", verdict: allow}
  - priority: 20
    label: no force
    tool_name_glob: shell.exec
    args_match:
      clauses:
        - {path: $.command, op: shell, value: {program: git, args: push, any_flag: [--force, -u]}}
    verdict: deny
  - {priority: 30, label: shell, tool_name_glob: shell.exec, verdict: audit}
"""
FIRST = "tests:\n  - {name: small, call: {tool: payment.pay, args: {amount_cents: 5}}, expect: allow}\n"
CALLS = [read_call(document) for document in documents()]


def test_pasted_tests_kill_every_mutant_that_survived(tmp_path):
    tests = FIRST
    for _ in range(4):
        suite, loaded = read(write(tmp_path, tests, POLICY))
        found = mutate(loaded, suite)
        if not found.of("surviving"):
            break
        # One entry may kill several mutants: the first is pasted, as an author would.
        for judged in found.of("surviving"):
            entry = "".join(f"  {line}\n" for line in entry_lines(judged))
            tests += entry if entry.splitlines()[0] not in tests else ""
    assert found.of("surviving") == []
    assert not found.of("unknown")
    assert found.counts["killed"] > 25


def test_a_bound_is_found_at_the_bound(tmp_path):
    suite, loaded = read(write(tmp_path, FIRST, POLICY))
    moved = [
        judged for judged in mutate(loaded, suite).of("surviving") if judged.mutant.kind == "bound_moved"
    ]
    amounts = {judged.mutant.what[-10:]: judged.survival.call["args"] for judged in moved}
    assert [amounts[key]["amount_cents"] for key in sorted(amounts)] == [100001, 100000]


def test_a_mutant_is_killed_by_a_sequence_and_by_an_example(tmp_path):
    policy = """\
default_verdict: allow
rules:
  - priority: 5
    label: often
    tool_name_glob: payment.*
    verdict: deny
    rate: {max: 1, window_seconds: 60, per: run}
  - priority: 6
    label: drop
    tool_name_glob: db.*
    args_match: {clauses: [{path: $.sql, op: starts_with, value: DROP}]}
    verdict: deny
    examples:
      match: [{tool: db.run, args: {sql: DROP TABLE x}}]
      no_match: [{tool: db.run, args: {sql: NO DROP}}]
"""
    tests = """\
tests:
  - name: one a minute
    sequence:
      - {call: {tool: payment.pay, run: r}, expect: allow}
      - {call: {tool: payment.pay, run: r}, expect: deny}
"""
    suite, loaded = read(write(tmp_path, tests, policy))
    found = {(it.mutant.rule, it.mutant.what): it for it in mutate(loaded, suite).judged}
    assert found["often", "rate 1 made 2"].why == "one a minute"
    assert (
        found["drop", "clause $.sql starts_with DROP made contains DROP"].why == "an example of rule 'drop'"
    )


def test_what_is_redacted_is_part_of_the_decision(tmp_path):
    sanitize = "verdict: sanitize, sanitize: {presets: [email, ssn_us]}"
    rule = f"{{priority: 1, label: mail, tool_name_glob: mail.*, {sanitize}}}"
    policy = f"default_verdict: deny\nrules:\n  - {rule}\n"
    call = "call: {tool: mail.send, args: {to: a@example.com}}"
    suite, loaded = read(write(tmp_path, f"tests:\n  - {{name: one, {call}, expect: sanitize}}\n", policy))
    lost = [it for it in mutate(loaded, suite).judged if "'email' taken" in it.mutant.what]
    assert [judged.status for judged in lost] == ["surviving"]
    assert '"args": {"to": "[redacted:email]"}' in "\n".join(entry_lines(lost[0]))
    kept = [it for it in mutate(loaded, suite).judged if "'ssn_us' taken" in it.mutant.what]
    assert [judged.status for judged in kept] == ["unknown"]


@given(policies)
@settings(max_examples=30)
def test_what_is_called_equivalent_is_never_told_apart(policy):
    plan = numbered(policy)
    judge = Judge(Loaded(Evaluator(plan), "b", "r", "d"), Suite((), {}))
    for mutant in mutants_of(plan)[:12]:
        judged = judge.judge(mutant)
        changed = mutant.edits["p"].apply(policy)
        if judged.status == "equivalent":
            for call in CALLS:
                before, after = decide(policy, call), decide(changed, call)
                assert (before.verdict, before.would_be) == (after.verdict, after.would_be)
        elif judged.status == "surviving":
            call = read_call(judged.survival.call)
            assert decide(policy, call).verdict == judged.survival.before.verdict
            assert decide(changed, call).verdict == judged.survival.after.verdict


def test_processes_judge_alike(tmp_path, monkeypatch):
    monkeypatch.setattr("policyc.testing.mutation.run._WORTH_IT", 0)
    suite, loaded = read(write(tmp_path, FIRST, POLICY))
    told = []
    one = [judged.status for judged in mutate(loaded, suite, jobs=1).judged]
    two = mutate(loaded, suite, jobs=2, progress=lambda done, total: told.append((done, total)))
    assert [judged.status for judged in two.judged] == one
    assert told[-1] == (len(one), len(one))


def test_the_compiled_policy_is_left_as_it_was(tmp_path):
    target = write(tmp_path, FIRST, POLICY)
    suite, loaded = read(target)
    mutate(loaded, suite)
    assert compile_path(target).data == loaded.plan.data
