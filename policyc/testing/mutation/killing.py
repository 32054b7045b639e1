"""Which test, or example of a rule, fails under a mutant. Only what the change can reach is decided again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from policyc.analysis.witness import Document
from policyc.compiler.examples import Example
from policyc.engine.calls import read_call
from policyc.engine.model import Call
from policyc.engine.plan import Plan
from policyc.engine.walk import applies
from policyc.loading import Loaded
from policyc.testing.case import Ask, Case
from policyc.testing.differences import differences
from policyc.testing.mutation.mutants import Edit, Mutant
from policyc.testing.mutation.walks import Walks
from policyc.testing.run import Runner, deciding
from policyc.testing.suite import Suite


class Tests:
    """The cases of a suite, all of which pass with the policies of ``loaded``."""

    def __init__(self, suite: Suite, loaded: Loaded, walks: Mapping[str, Walks]) -> None:
        self._runner = Runner(suite, loaded)
        self._walks = walks
        self._plan = loaded.plan
        #: By the policy that decides them, the cases of one call.
        self._alone: dict[str, list[tuple[Case, Ask]]] = defaultdict(list)
        self._met: dict[str, Mapping[int, list[int]]] = {}
        self._together: list[tuple[Case, set[str]]] = []
        self._examples: dict[tuple[str, str], list[tuple[Example, Call]]] = defaultdict(list)
        for example in loaded.examples:
            found = example, read_call(example.call)
            self._examples[example.policy, example.label].append(found)
        for case in suite.cases:
            names = deciding(case, loaded.plan)
            if len(case.steps) == 1 and len(names) == 1 and not _counts(case, loaded.plan, names):
                self._alone[min(names)].append((case, case.asks[0]))
            else:
                self._together.append((case, names))

    def killers(self, mutant: Mutant) -> Iterator[str]:
        """What fails under the mutant, by name."""
        yield from self._failing_examples(mutant)
        for name, edit in mutant.edits.items():
            yield from (
                case.title for case, ask in self._near_first(name, edit) if self._fails(name, edit, ask)
            )
        changed = {name: edit.apply(self._plan.policies[name]) for name, edit in mutant.edits.items()}
        for case, names in self._together:
            if not names.isdisjoint(changed) and not self._runner.still_passes(changed, only=[case]):
                yield case.title

    def _near_first(self, name: str, edit: Edit) -> Iterator[tuple[Case, Ask]]:
        """The cases of a policy, those first that meet what is changed: nearly every mutant ends there."""
        cases = self._alone[name]
        near = {
            number
            for place in range(edit.at, edit.at + edit.removed)
            for number in self._meeting(name).get(place, ())
        }
        yield from (cases[number] for number in sorted(near))
        yield from (case for number, case in enumerate(cases) if number not in near)

    def _meeting(self, name: str) -> Mapping[int, list[int]]:
        """For each place in a policy, the numbers of the cases that meet the rule there."""
        if name not in self._met:
            found: dict[int, list[int]] = defaultdict(list)
            for number, (_case, ask) in enumerate(self._alone[name]):
                for places in self._walks[name].meetings(ask.call):
                    for place in places:
                        found[place].append(number)
            self._met[name] = found
        return self._met[name]

    def _fails(self, name: str, edit: Edit, ask: Ask) -> bool:
        outcome = self._walks[name].decide(edit, ask.call)
        return outcome is not None and next(differences(ask.expected, outcome, ask.call), None) is not None

    def _failing_examples(self, mutant: Mutant) -> Iterator[str]:
        """A rule that is gone took its examples with it."""
        for name, edit in mutant.edits.items():
            for rule in edit.added if edit.removed == 1 else ():
                for example, call in self._examples.get((name, rule.label), ()):
                    if applies(rule, call) is not example.matches:
                        yield f"an example of rule {rule.label!r}"

    def calls(self, name: str) -> Iterator[tuple[Document, Call]]:
        """The calls that a policy decides one by one, and those of its rules' examples."""
        yield from ((dict(ask.document), ask.call) for _case, ask in self._alone[name])
        for (policy, _label), examples in self._examples.items():
            if policy == name:
                yield from ((dict(example.call), call) for example, call in examples)


def _counts(case: Case, plan: Plan, names: set[str]) -> bool:
    """Whether a decision may depend on what was counted."""
    budgets = any(rule.budget is not None for name in names for rule in plan.policies[name].rules)
    return budgets or any(ask.call.cost_cents for ask in case.asks)
