"""Decisions of mutants, with the rules that a call meets looked up once: an edit of one rule asks that rule.

A rule that does not match, and cannot, contributes nothing to a walk: the walk over the others is the same.
"""

from __future__ import annotations

from policyc.engine.clauses import compile_clause
from policyc.engine.model import Call, Clause, Outcome, Policy, Rule
from policyc.engine.outcomes import of_all
from policyc.engine.walk import Reporter, decide_by
from policyc.testing.mutation.copies import changed
from policyc.testing.mutation.mutants import Edit


class Walks:
    """The walks of calls over one policy. Calls and rules are told apart by identity."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._met: dict[int, tuple[Call, list[dict[int, bool]]]] = {}
        self._asked = [Asked(rule, policy) for rule in policy.rules]
        self._added: tuple[Rule, Asked] | None = None

    def decide(self, edit: Edit, call: Call) -> Outcome | None:
        """The outcome after the edit; None where it is that of before."""
        met = self.meetings(call)
        parts = list(zip(call.parts, met, strict=True))
        if not any(
            self._reaches(edit, places) and self._differs(edit, part, places) for part, places in parts
        ):
            return None
        policy = edit.apply(self.policy)
        outcomes = [decide_by(self._rules(edit, places), policy, part) for part, places in parts]
        return of_all(outcomes) if call.more else outcomes[0]

    def notices(self, edit: Edit, part: Call) -> bool:
        """Whether a part of a call meets otherwise what stands there now than what stood there before."""
        places = range(edit.at, edit.at + edit.removed)
        answers = {place: self._asked[place].answer(part) for place in places}
        return self._differs(edit, part, {place: met for place, met in answers.items() if met is not None})

    def _differs(self, edit: Edit, part: Call, places: dict[int, bool]) -> bool:
        if edit.default_verdict is not None:
            return True
        before = [places.get(edit.at + number) for number in range(edit.removed)]
        after = [self._asked_added(rule).answer(part) for rule in edit.added]
        if before != after:
            return True
        return any(answer is not None for answer in before) and not self._does_the_same(edit)

    def _asked_added(self, rule: Rule) -> Asked:
        """Calls come one after the other for one mutant."""
        if self._added is None or self._added[0] is not rule:
            self._added = rule, Asked(rule, self.policy)
        return self._added[1]

    def meetings(self, call: Call) -> list[dict[int, bool]]:
        """For each part of the call the places of the rules that match it (True) or may (False)."""
        known = self._met.get(id(call))
        if known is None:
            known = self._met[id(call)] = call, [self._meeting(part) for part in call.parts]
        return known[1]

    def _meeting(self, part: Call) -> dict[int, bool]:
        answers = ((place, asked.answer(part)) for place, asked in enumerate(self._asked))
        return {place: found for place, found in answers if found is not None}

    def _reaches(self, edit: Edit, places: dict[int, bool]) -> bool:
        """Whether no rule before the edit ends the walk."""
        rules = self.policy.rules
        return not any(
            certain and place < edit.at and not rules[place].shadow for place, certain in places.items()
        )

    def _does_the_same(self, edit: Edit) -> bool:
        """Whether the edit leaves what the rule does, and changes which calls it is for."""
        if edit.removed != 1 or len(edit.added) != 1:
            return False
        one, two = self.policy.rules[edit.at], edit.added[0]
        return all(getattr(one, name) == getattr(two, name) for name in ("verdict", "shadow", "sanitize"))

    def _rules(self, edit: Edit, places: dict[int, bool]) -> list[Rule]:
        rules = self.policy.rules
        before = [rules[place] for place in places if place < edit.at]
        after = [rules[place] for place in places if place >= edit.at + edit.removed]
        return [*before, *edit.added, *after]


class Asked:
    """One rule, with its clauses compiled once."""

    def __init__(self, rule: Rule, policy: Policy) -> None:
        self._bare = changed(rule, clauses=())
        self._policy = policy
        self._clauses = [compile_clause(clause) for clause in rule.clauses]

    def answer(self, part: Call) -> bool | None:
        """True where the rule matches the part of a call, False where it may, None where it does not."""
        heard = _Heard()
        decide_by((self._bare,), self._policy, part, heard)
        met = heard.met
        for clause in self._clauses if met is not None else ():
            found = clause(part)
            if found is False:
                return None
            met = met and found is True
        return met


class _Heard(Reporter):
    """Whether one rule matched (True), may match (False) or does not (None)."""

    def __init__(self) -> None:
        self.met: bool | None = None

    def rule_unknown(self, _rule: Rule, _clause: Clause | None, _saw: list[object]) -> None:
        self.met = False

    def rule_matched(self, _rule: Rule, _saw: list[object]) -> None:
        self.met = True
