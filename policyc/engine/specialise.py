"""Rules to a program: everything looked up that does not depend on the arguments."""

from __future__ import annotations

from policyc.engine import budgets
from policyc.engine.egress import Egress, destination_of
from policyc.engine.model import Call, Clause, Outcome, Policy, Rule
from policyc.engine.operators import OPERATORS
from policyc.engine.outcomes import rule_outcome
from policyc.engine.program import Possible, Program, Step, Test
from policyc.engine.scanners import RegexGroup, Scanners, is_gate
from policyc.engine.shell_groups import ShellGroup
from policyc.engine.shell_index import is_gate as is_shell_gate
from policyc.engine.walk import is_for


def is_unconditional(rule: Rule) -> bool:
    """Whether a rule that covers the tool matches whatever the arguments."""
    return not rule.clauses and rule.egress is None and not _is_special(rule)


def _is_special(rule: Rule) -> bool:
    """Whether the rule has more than tools, stages and arguments to it."""
    return rule.skills is not None or rule.budget is not None or rule.shadow


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
        if _is_special(rule):
            self.steps.append(_special_step(rule, outcome, self.scanners))
            self._group = None
            return
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
    test_all = _every(_tests(rule, scanners))
    possible = Possible(outcome)

    def step(call: Call, hits: list[object]) -> Outcome | Possible | None:
        answer = test_all(call, hits)
        return None if answer is False else outcome if answer else possible

    return step


def _special_step(rule: Rule, outcome: Outcome, scanners: Scanners) -> Step:
    """The step of a rule with a skill, a budget, or in shadow."""
    tests = _tests(rule, scanners)
    skills = rule.skills
    if skills is not None:
        tests.insert(0, lambda call, _hits: is_for(skills, call))
    if rule.budget is not None:
        tests.insert(0, lambda call, _hits: budgets.holds(rule, call))
    test_all = _every(tests)

    def step(call: Call, hits: list[object]) -> Outcome | Possible | None:
        answer = test_all(call, hits)
        if answer is False:
            return None
        told = budgets.told(outcome, rule, call)
        return told if answer and not rule.shadow else Possible(told, rule.shadow)

    return step


def _tests(rule: Rule, scanners: Scanners) -> list[Test]:
    """Of clauses and egress; cheap ones first: one that is false spares the parse of a command line."""
    tests = [scanners.test(clause) for clause in sorted(rule.clauses, key=_is_unsure)]
    return tests if rule.egress is None else [*tests, _egress_test(rule)]


def _every(tests: list[Test]) -> Test:
    def test_all(call: Call, hits: list[object]) -> bool | None:
        answer: bool | None = True
        for test in tests:
            found = test(call, hits)
            if found is False:
                return False
            answer = answer and found
        return answer

    return test_all


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
