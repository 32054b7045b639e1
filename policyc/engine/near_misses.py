"""Rules that almost matched a call: about its tool, yet with conditions that do not hold, nearest first."""

from __future__ import annotations

from policyc.engine.globs import matches
from policyc.engine.model import Call, Clause, Rule
from policyc.engine.paths import select
from policyc.engine.text import clean
from policyc.engine.walk import clause_holds, is_for

#: Operators whose clauses come by the hundred: with nothing in common such a rule is about other calls.
_COME_IN_NUMBERS = ("shell", "path")


class Unmet:
    """One condition that does not hold: ``condition`` and ``clause`` as a reporter hears them."""

    __slots__ = ("clause", "condition", "met_keys", "saw", "unmet_keys")

    def __init__(self, condition: str, clause: Clause | None, saw: list[object]) -> None:
        self.condition = condition
        self.clause = clause
        self.saw = saw
        #: Of a ``shell`` clause: its keys that hold for the line by themselves, and those that do not.
        self.met_keys: list[str] = []
        self.unmet_keys: list[str] = []

    @property
    def narrowed(self) -> Clause | None:
        """The clause with only those keys that do not hold."""
        clause = self.clause
        if clause is None or not self.met_keys or not isinstance(clause.value, dict):
            return clause
        return _with_value(clause, {key: clause.value[key] for key in self.unmet_keys})


class NearMiss:
    """A rule that did not match, with every condition that does not hold."""

    __slots__ = ("met", "rule", "unmet")

    def __init__(self, rule: Rule, unmet: list[Unmet]) -> None:
        self.rule = rule
        self.unmet = unmet
        #: How many clauses hold.
        self.met = len(rule.clauses) - sum(one.clause is not None for one in unmet)

    @property
    def distance(self) -> tuple[int, int, int, int]:
        """Sorts the nearest first: few conditions that do not hold, the argument there, much that holds."""
        missing = sum(one.clause is not None and not one.saw for one in self.unmet)
        common = sum(len(one.met_keys) for one in self.unmet)
        apart = sum(len(one.unmet_keys) for one in self.unmet)
        return len(self.unmet), missing, -self.met - common, apart


def near_miss(rule: Rule, call: Call) -> NearMiss | None:
    """How ``rule``, which did not match ``call``, missed it; None where the rule is about other calls: other
    tools, other programs, or a ``shell`` or ``path`` clause that has nothing in common with the call."""
    names = [clean(name) for name in call.names]
    if rule.tools is not None and not any(matches(glob, name) for glob in rule.tools for name in names):
        return None
    miss = NearMiss(rule, [*_unmet_conditions(rule, call), *_unmet_clauses(rule, call)])
    clauses = [one for one in miss.unmet if one.clause is not None]
    if any("program" in one.unmet_keys for one in clauses):
        return None
    has_nothing_in_common = clauses and not miss.met and all(_is_one_of_many(one) for one in clauses)
    return None if has_nothing_in_common else miss


def _is_one_of_many(one: Unmet) -> bool:
    return one.clause is not None and one.clause.op in _COME_IN_NUMBERS and not one.met_keys


def _unmet_conditions(rule: Rule, call: Call) -> list[Unmet]:
    unmet = []
    if rule.stages is not None and call.stage not in rule.stages:
        unmet.append(Unmet("stage", None, [call.stage]))
    if rule.skills is not None and not is_for(rule.skills, call):
        unmet.append(Unmet("skill", None, [call.skill]))
    if rule.egress is not None:
        from policyc.engine.egress import Egress, destination_of

        destination = destination_of(call)
        if Egress(rule.verdict, rule.egress).matches(destination) is False:
            unmet.append(Unmet("egress", None, [destination]))
    if rule.budget is not None:
        from policyc.engine.budgets import holds as budget_holds

        if budget_holds(rule, call) is False:
            counted = call.counted
            unmet.append(Unmet("budget", None, [counted[rule.label]] if rule.label in counted else []))
    return unmet


def _unmet_clauses(rule: Rule, call: Call) -> list[Unmet]:
    unmet = []
    for clause in rule.clauses:
        if clause_holds(clause, rule, call) is not False:
            continue
        one = Unmet("clause", clause, select(clause.steps, call.args))
        if clause.op == "shell" and isinstance(clause.value, dict) and not clause.negated and one.saw:
            for key, wanted in clause.value.items():
                alone = clause_holds(_with_value(clause, {key: wanted}), rule, call)
                (one.unmet_keys if alone is False else one.met_keys).append(key)
        unmet.append(one)
    return unmet


def _with_value(clause: Clause, value: object) -> Clause:
    return Clause(
        clause.path,
        clause.steps,
        clause.op,
        value,
        negated=clause.negated,
        on_missing=clause.on_missing,
        match=clause.match,
        when_unknown=clause.when_unknown,
    )
