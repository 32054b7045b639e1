"""Rules to a program: everything looked up that does not depend on the arguments."""

from __future__ import annotations

from policyc.engine.egress import Egress, destination_of
from policyc.engine.model import Call, Clause, Outcome, Policy, Rule
from policyc.engine.operators import OPERATORS
from policyc.engine.outcomes import rule_outcome
from policyc.engine.program import Possible, Program, Step, Test
from policyc.engine.scanners import RegexGroup, Scanners, is_gate
from policyc.engine.shell_groups import ShellGroup
from policyc.engine.shell_index import is_gate as is_shell_gate


def is_unconditional(rule: Rule) -> bool:
    """Whether a rule that covers the tool matches whatever the arguments."""
    return not rule.clauses and rule.egress is None


def specialise(policy: Policy, rules: list[Rule], surface: str, otherwise: Outcome) -> Program:
    """The program of ``rules``, which all cover the tool, in their order. The last may be unconditional."""
    if rules and is_unconditional(rules[-1]):
        *rules, last = rules
        otherwise = rule_outcome(policy, last, surface)
    builder = _Builder()
    for rule in rules:
        builder.add(rule, rule_outcome(policy, rule, surface))
    return Program(builder.steps, builder.scanners.count, otherwise)


class _Builder:
    """Steps in rule order; neighbours with a gate of one kind share a step."""

    __slots__ = ("_group", "scanners", "steps")

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.scanners = Scanners()
        self._group: RegexGroup | ShellGroup | None = None

    def add(self, rule: Rule, outcome: Outcome) -> None:
        regex = None if _may_be_unknown(rule) else next(filter(is_gate, rule.clauses), None)
        if regex is not None:
            self._add_to_regex_group(rule, outcome, regex)
            return
        step = _step(rule, outcome, self.scanners)
        shell = next(filter(is_shell_gate, rule.clauses), None)
        group = self._group
        if shell is not None and (not isinstance(group, ShellGroup) or group.path != shell.steps):
            group = self._group = ShellGroup(shell.steps)
            self.steps.append(group.decide)
        if isinstance(group, ShellGroup):
            group.add(rule.clauses, step)
        else:
            self.steps.append(step)
            self._group = None

    def _add_to_regex_group(self, rule: Rule, outcome: Outcome, gate: Clause) -> None:
        scanner, index = self.scanners.place(gate)
        rest = [self.scanners.test(clause) for clause in rule.clauses if clause is not gate]
        group = self._group
        if not isinstance(group, RegexGroup) or group.scanner is not scanner:
            group = self._group = RegexGroup(scanner)
            self.steps.append(group.decide)
        group.members[index] = (_all(rest) if rest else None, outcome)


def _step(rule: Rule, outcome: Outcome, scanners: Scanners) -> Step:
    if not _may_be_unknown(rule):
        test = _all([scanners.test(clause) for clause in rule.clauses])
        return lambda call, hits: outcome if test(call, hits) else None
    # Cheap tests first: one that is false spares the parse of a command line.
    tests = [scanners.test(clause) for clause in sorted(rule.clauses, key=_is_unsure)]
    if rule.egress is not None:
        tests.append(_egress_test(rule))
    possible = Possible(outcome)

    def step(call: Call, hits: list[object]) -> Outcome | Possible | None:
        answer: bool | None = True
        for test in tests:
            found = test(call, hits)
            if found is False:
                return None
            answer = answer and found
        return outcome if answer else possible

    return step


def _egress_test(rule: Rule) -> Test:
    egress = Egress(rule.verdict, rule.egress or {})
    return lambda call, _hits: egress.matches(destination_of(call))


def _may_be_unknown(rule: Rule) -> bool:
    return rule.egress is not None or any(_is_unsure(clause) for clause in rule.clauses)


def _is_unsure(clause: Clause) -> bool:
    return OPERATORS[clause.op].may_be_unknown


def _all(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda call, hits: first(call, hits) and second(call, hits)
    return lambda call, hits: all(test(call, hits) for test in tests)
