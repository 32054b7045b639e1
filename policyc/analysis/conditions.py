"""A clause as a condition on a call: a set of values at one path, or a question that is left open.

What no set of values says (``shell``, ``path``, ``host``, paths that select several values) is a free
predicate: true, false or unknown, the same wherever the same question is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from policyc.analysis.languages import (
    Demand,
    Language,
    beginning,
    containing,
    ending,
    equal_to,
    globbed,
    searched,
)
from policyc.analysis.numbers import ALL, NONE, Number, Numbers, above, below, exactly
from policyc.analysis.values import ANYTHING, NOTHING, ONLY_MISSING, PRESENT, Texts, Values
from policyc.engine.model import Clause, Rule
from policyc.engine.paths import is_singular

#: A path that selects at most one value, as the keys from the root down.
Path = tuple[str | int, ...]

#: Where the skill stands that a call is made for: no path of arguments begins with a number below zero.
SKILL: Final[Path] = (-1, "skill")
#: The question whether a connection says where it goes.
NO_DESTINATION: Final = "no destination"


@dataclass(frozen=True, slots=True)
class Sort:
    """A condition on the value at ``path``: in ``true`` it holds, in ``false`` it does not."""

    path: Path
    true: Values
    false: Values


@dataclass(frozen=True, slots=True)
class Question:
    """A condition that is left open. ``key`` names the question; ``settled`` is what the clause is where the
    answer is unknown. ``path`` is None where several values are selected."""

    key: str
    clause: Clause | None = field(compare=False)
    path: Path | None
    settled: bool | None = None

    def answer(self, free: bool | None) -> bool | None:
        """The clause's answer where the question's is ``free``."""
        return self.settled if free is None else free


Condition = Sort | Question


def condition(clause: Clause) -> Condition:
    """What ``clause`` asks of a call."""
    path = _singular(clause.steps)
    if path is None or (clause.op not in _SETS and clause.op != "exists"):
        return _question(clause, path)
    if clause.op == "exists":
        there = clause.value is not clause.negated
        return Sort(path, *((PRESENT, ONLY_MISSING) if there else (ONLY_MISSING, PRESENT)))
    holds, fails = _SETS[clause.op](clause.value)
    if clause.negated:
        holds, fails = fails, holds
    holds, fails = holds.without("missing"), fails.without("missing")
    missing = frozenset({"missing"})
    if clause.on_missing:
        return Sort(path, Values(holds.constants | missing, holds.numbers, holds.texts), fails)
    return Sort(path, holds, Values(fails.constants | missing, fails.numbers, fails.texts))


def _question(clause: Clause, path: Path | None) -> Question:
    """``not`` and ``match`` are parts of the question where they act on parts of one value; ``on_missing`` is
    one where it decides."""
    parts = [clause.steps, clause.op, clause.value, clause.match, clause.on_missing, clause.negated]
    return Question(json.dumps(parts, sort_keys=True), clause, path, clause.when_unknown)


def conditions_beside_clauses(rule: Rule) -> tuple[Condition, ...]:
    """What a rule asks beside its clauses: the destination, the skill, what was counted."""
    asked: list[Condition] = []
    if rule.egress is not None:
        asked.append(_open(["egress", rule.egress, rule.verdict]))
    if rule.skills is not None:
        covered = globbed(rule.skills)
        asked.append(Sort(SKILL, *(_texts((covered, wanted)) for wanted in (True, False))))
    if rule.budget is not None:
        # What was counted belongs to the rule of that label, and to the calls that it is about.
        kept = [str(getattr(rule.budget, name)) for name in rule.budget.__slots__]
        asked.append(_open(["budget", rule.label, kept, scope(rule)]))
    return tuple(asked)


def scope(rule: Rule) -> list[Any]:
    """Which calls a rule is about, as data: equal for rules that say the same."""
    clauses = [
        [it.steps, it.op, it.value, it.negated, it.on_missing, it.match, it.when_unknown]
        for it in rule.clauses
    ]
    return [
        None if rule.stages is None else sorted(rule.stages),
        rule.tools,
        rule.skills,
        rule.egress,
        clauses,
    ]


def _open(parts: list[Any]) -> Question:
    return Question(json.dumps(parts, sort_keys=True), None, None)


def _singular(steps: list[list[Any]]) -> Path | None:
    """Negative indexes count from an end that is not known."""
    if not is_singular(steps) or any(isinstance(step[1], int) and step[1] < 0 for step in steps):
        return None
    return tuple(step[1] for step in steps)


def _texts(demand: Demand) -> Values:
    return Values(frozenset(), NONE, Texts(frozenset({demand})))


def _text(language: Language) -> tuple[Values, Values]:
    holds = _texts((language, True))
    return holds, Values(ANYTHING.constants, ALL, Texts(frozenset({(language, False)})))


def _numbers(numbers: Numbers) -> tuple[Values, Values]:
    return Values(frozenset(), numbers, None), Values(
        ANYTHING.constants, numbers.complement(), ANYTHING.texts
    )


def _members(values: list[Any]) -> tuple[Values, Values]:
    """``eq`` and ``in``."""
    constants = frozenset(_CONSTANT[value] for value in values if value is None or isinstance(value, bool))
    numbers = exactly(
        value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    )
    texts = tuple(sorted({value for value in values if isinstance(value, str)}))
    language = equal_to(texts) if texts else None
    holds = Values(constants, numbers, None if language is None else Texts(frozenset({(language, True)})))
    others = Texts() if language is None else Texts(frozenset({(language, False)}))
    return holds, Values(ANYTHING.constants - constants, numbers.complement(), others)


def _networks(value: Any) -> tuple[Values, Values]:
    names = tuple(value) if isinstance(value, list) else (value,)
    holds = Values(frozenset(), NONE, Texts(addresses=frozenset({(names, True)})))
    return holds, Values(ANYTHING.constants, ALL, Texts(addresses=frozenset({(names, False)})))


_CONSTANT: Final[dict[object, str]] = {None: "null", True: "true", False: "false"}


def _bound(make: Callable[..., Numbers], *, inclusive: bool) -> Callable[[Number], tuple[Values, Values]]:
    return lambda bound: _numbers(make(bound, inclusive=inclusive))


#: Operator -> from its value to the values for which it holds and those for which it does not.
_SETS: Final[dict[str, Callable[[Any], tuple[Values, Values]]]] = {
    "eq": lambda value: _members([value]),
    "in": _members,
    "contains": lambda value: _text(containing(value)),
    "starts_with": lambda value: _text(beginning(value)),
    "ends_with": lambda value: _text(ending(value)),
    "regex": lambda value: _text(searched(value)),
    "cidr_match": _networks,
    "gt": _bound(above, inclusive=False),
    "gte": _bound(above, inclusive=True),
    "lt": _bound(below, inclusive=False),
    "lte": _bound(below, inclusive=True),
}

__all__ = ["NOTHING", "Condition", "Path", "Question", "Sort", "condition"]
