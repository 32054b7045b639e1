"""A set of calls: stages, names, what stands at each path, and how open questions are answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from policyc.analysis.conditions import SKILL, Condition, Path, Question, Sort
from policyc.analysis.names import Names, every_name
from policyc.analysis.values import ANYTHING, CONTAINER, Values
from policyc.engine.model import STAGES

_FREE: Final[frozenset[bool | None]] = frozenset({True, False, None})


@dataclass(frozen=True, slots=True)
class Region:
    """Calls that meet every part. ``values`` has the paths that are asked about; ``answers`` has the open
    questions by key, each with the answers that it may have."""

    stages: frozenset[str] = frozenset(STAGES)
    names: Names = field(default_factory=every_name)
    values: Mapping[Path, Values] = field(default_factory=lambda: {(): CONTAINER["object"]})
    answers: Mapping[str, tuple[Question, frozenset[bool | None]]] = field(default_factory=dict)

    def on_stages(self, stages: frozenset[str]) -> Region | None:
        met = self.stages & stages
        return replace(self, stages=met) if met else None

    def assuming(self, condition: Condition, truth: bool | None) -> Region | None:
        """The calls for which the condition is ``truth``; None where it is plain that there are none. Whether
        there are any, `Solver.is_empty` says."""
        if isinstance(condition, Sort):
            if truth is None:
                return None
            return self.with_value(condition.path, condition.true if truth else condition.false)
        return self._answered(condition, truth)

    def with_value(self, path: Path, values: Values) -> Region:
        met = self.values.get(path, ANYTHING).meet(values)
        found = {**self.values, path: met}
        if "missing" not in met.constants and path != SKILL:
            # What is there stands in a container.
            for length in range(len(path)):
                kind = "object" if isinstance(path[length], str) else "list"
                found[path[:length]] = found.get(path[:length], ANYTHING).meet(CONTAINER[kind])
        return replace(self, values=found)

    def _answered(self, question: Question, truth: bool | None) -> Region | None:
        """All free answers that make the clause ``truth``: rules may settle one question differently."""
        known = self.answers.get(question.key, (question, _FREE))[1]
        free = frozenset(answer for answer in known if question.answer(answer) is truth)
        return replace(self, answers={**self.answers, question.key: (question, free)}) if free else None
