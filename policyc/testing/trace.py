"""The rules that a call came close to."""

from __future__ import annotations

from policyc.engine.explain import Trace
from policyc.engine.model import Clause, Rule

_FAR = ("stage", "tool")


class NearTrace(Trace):
    """A trace without the rules that are about other tools or stages: those are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.left_out = 0

    def rule_failed(self, rule: Rule, condition: str, clause: Clause | None, saw: list[object]) -> None:
        if condition in _FAR:
            self.left_out += 1
        else:
            super().rule_failed(rule, condition, clause, saw)

    def lines(self) -> list[str]:
        """A line or two for each rule, and one for those that were left out."""
        if not self.left_out:
            return super().lines()
        rules = "rule is" if self.left_out == 1 else "rules are"
        return [*super().lines(), f"{self.left_out} more {rules} about other tools or stages"]
