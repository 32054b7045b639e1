"""What the walk considered, as data and as text."""

from __future__ import annotations

import json

from policyc.engine.budgets import described
from policyc.engine.model import Budget, Call, Clause, Rule
from policyc.engine.near_misses import NearMiss, near_miss
from policyc.engine.text import clean
from policyc.engine.walk import Reporter

#: Characters of a value shown to a person.
LONGEST_SHOWN = 120
#: Near misses that text shows; documents have all.
_NEAREST = 3


class Step:
    """One rule that the walk considered for ``part``, the how-manieth of the call: ``condition`` is the first
    that failed, ``unknown``, or None where the rule matched."""

    __slots__ = ("call", "clause", "condition", "part", "rule", "saw")

    def __init__(
        self,
        call: Call,
        part: int,
        rule: Rule,
        condition: str | None,
        clause: Clause | None,
        saw: list[object],
    ) -> None:
        self.call = call
        self.part = part
        self.rule = rule
        self.condition = condition
        self.clause = clause
        self.saw = saw


class Trace(Reporter):
    """Remembers every rule considered; ``documents`` and ``lines`` show them in order."""

    def __init__(self) -> None:
        self._parts: list[Call] = []
        self._steps: list[Step] = []

    def part_considered(self, call: Call) -> None:
        self._parts.append(call)

    def rule_failed(self, rule: Rule, condition: str, clause: Clause | None, saw: list[object]) -> None:
        self._add(rule, condition, clause, saw)

    def rule_unknown(self, rule: Rule, clause: Clause | None, saw: list[object]) -> None:
        self._add(rule, "unknown", clause, saw)

    def rule_matched(self, rule: Rule, saw: list[object]) -> None:
        self._add(rule, None, None, saw)

    def _add(self, rule: Rule, condition: str | None, clause: Clause | None, saw: list[object]) -> None:
        self._steps.append(Step(self._parts[-1], len(self._parts), rule, condition, clause, saw))

    def documents(self) -> list[dict[str, object]]:
        """One object per rule and part of the call: which condition failed first, and what it saw
        (``missing`` for nothing). ``near_miss`` has the rank, 1 for the nearest, and all that failed."""
        near = {id(step): (rank, miss) for rank, (step, miss) in enumerate(self._near_misses(), start=1)}
        return [
            {
                "rule": rule.label,
                "source": str(rule.source),
                "priority": rule.priority,
                "verdict": rule.verdict,
                "shadow": rule.shadow,
                "part": step.part,
                "matched": None if condition == "unknown" else condition is None,
                "failed": None if condition is None else _failure(rule, condition, step.clause, step.saw),
                "near_miss": _near_miss_document(*near[id(step)]) if id(step) in near else None,
                "budget": _budget(rule.budget, condition, step.clause, step.saw) if rule.budget else None,
            }
            for step in self._steps
            for rule, condition in [(step.rule, step.condition)]
        ]

    def lines(self) -> list[str]:
        """A line or two per rule for a terminal."""
        return [line for step in self._steps for line in _step_lines(step)]

    def short_lines(self) -> list[str]:
        """Of the rules only those that matched or may match, the nearest that did not, and how many more
        there were."""
        matched = [step for step in self._steps if step.condition in (None, "unknown")]
        near = self._near_misses()[:_NEAREST]
        lines = [line for step in matched for line in _step_lines(step)]
        lines += [
            line for step, miss in near for line in (f"near miss  {_named(step.rule)}", *_unmet_lines(miss))
        ]
        rest = len(self._steps) - len(matched) - len(near)
        if rest:
            lines.append(f"{rest} more {'rule was' if rest == 1 else 'rules were'} passed over")
        return lines

    def near_miss_lines(self) -> list[str]:
        """The nearest of the rules that almost matched, each with all that did not hold."""
        lines = []
        for rank, (step, miss) in enumerate(self._near_misses()[:_NEAREST], start=1):
            lines += [f"{rank}  {step.rule.verdict}  {_named(step.rule)}", *_unmet_lines(miss)]
        return lines

    def _near_misses(self) -> list[tuple[Step, NearMiss]]:
        found = []
        for step in self._steps:
            if step.condition in (None, "unknown", "tool"):
                continue
            miss = near_miss(step.rule, step.call)
            if miss is not None:
                found.append((step, miss))
        return sorted(found, key=lambda pair: pair[1].distance)


#: How a rule that was not passed over is announced.
_WORDS = {None: "matched", "unknown": "may match"}


def _named(rule: Rule) -> str:
    return f'"{rule.label}"  {rule.source}'


def _step_lines(step: Step) -> list[str]:
    rule, condition = step.rule, step.condition
    word = _WORDS.get(condition, "passed over")
    lines = [f"{word}  {rule.priority}  {_named(rule)}{'  in shadow' if rule.shadow else ''}"]
    if condition is not None or rule.budget is not None:
        lines.append(f"    {_reason(rule, condition, step.clause, step.saw)}")
    return lines


def _unmet_lines(miss: NearMiss) -> list[str]:
    lines = []
    for one in miss.unmet:
        also = f" ({_and(one.met_keys)})" if one.met_keys else ""
        lines.append(f"    {_reason(miss.rule, one.condition, one.narrowed, one.saw)}{also}")
    return lines


def _budget(
    budget: Budget, condition: str | None, clause: Clause | None, saw: list[object]
) -> dict[str, object]:
    """The budget and, where the walk came to it, the number that it saw (None: nobody counted)."""
    reached = condition in (None, "unknown", "budget") and clause is None
    return {
        "kind": budget.kind,
        "limit": budget.limit,
        "window_seconds": budget.window,
        "reached": reached,
        "saw": saw[0] if reached and saw else None,
    }


def _near_miss_document(rank: int, miss: NearMiss) -> dict[str, object]:
    unmet = []
    for one in miss.unmet:
        failure = _failure(miss.rule, one.condition, one.clause, one.saw)
        unmet.append({**failure, "met_keys": one.met_keys, "unmet_keys": one.unmet_keys})
    return {"rank": rank, "unmet": unmet}


def _failure(rule: Rule, condition: str, clause: Clause | None, saw: list[object]) -> dict[str, object]:
    if clause is None:
        return {"condition": condition, "wanted": _wanted(rule, condition), "saw": saw}
    return {
        "condition": condition,
        "clause": {"path": clause.path, "op": clause.op, "value": clause.value, "not": clause.negated},
        "match": clause.match,
        "missing": not saw,
        "saw": saw,
    }


def _wanted(rule: Rule, condition: str) -> object:
    if condition == "stage":
        return sorted(rule.stages or ())
    if condition == "tool":
        return list(rule.tools or ())
    if condition == "skill":
        return list(rule.skills or ())
    if rule.budget is not None and (condition == "budget" or rule.egress is None):
        return rule.budget.limit
    return rule.egress


def _reason(rule: Rule, condition: str | None, clause: Clause | None, saw: list[object]) -> str:
    if condition == "stage":
        return f"stage {saw[0]} is not {' or '.join(sorted(rule.stages or ()))}"
    if condition == "tool":
        names = " or ".join(str(name) for name in saw)
        return f"tool {names} is not covered by {', '.join(rule.tools or ())}"
    if condition == "skill":
        return f"skill {shown(saw[0])} is not covered by {', '.join(rule.skills or ())}"
    of_budget = condition in ("budget", None) or (clause is None and rule.egress is None)
    if rule.budget is not None and of_budget:
        return _of_budget(rule.budget, saw)
    if clause is None:
        return f"egress {shown(rule.egress)}: saw {shown(saw[0])}"
    wanted = f"{clause.path} {'not ' if clause.negated else ''}{clause.op} {shown(clause.value)}"
    if not saw:
        return f"{wanted}: the call has nothing at {clause.path}"
    quantifier = f" ({clause.match} of {len(saw)})" if len(saw) > 1 else ""
    doubt = " cannot be known" if condition == "unknown" else ""
    return f"{wanted}{quantifier}{doubt}: saw {', '.join(shown(value) for value in saw[:3])}"


def _of_budget(budget: Budget, saw: list[object]) -> str:
    if saw and isinstance(saw[0], int):
        return f"{budget.kind}: {described(budget, saw[0])}"
    if budget.steps:
        return f"{budget.kind}: the call is not its last step, or nobody counted"
    return f"{budget.kind}: nobody counted"


def _and(keys: list[str]) -> str:
    return f"{' and '.join(keys)} {'holds' if len(keys) == 1 else 'hold'}"


def shown(value: object) -> str:
    """A value for a person: its JSON, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = "(a value too large to show)"
    return clean(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")
