"""Calls that may tell a mutant from what it was made of: those of the rule that the change is about,
and those of tests with a word in place of another one of its list."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from policyc.analysis.addresses import Undecided
from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.cases import assumptions, cases_of
from policyc.analysis.command_lines import path_of, words_of
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.analysis.witness import Document, witnesses
from policyc.engine.model import Policy, Rule
from policyc.testing.mutation.copies import changed

#: What the search for the parts of one rule may cost.
_STEPS, _STATES = 500, 200_000
#: Calls that are made of one test by replacing words.
_MOST = 40


def candidates(policy: Policy, focus: Rule, agent: str | None, solver: Solver) -> Iterator[Document]:
    """Calls that ``focus`` may match, the simplest first."""
    alone = Policy(policy.name, policy.default_verdict, False, policy.source, (changed(focus, shadow=False),))
    case = cases_of(alone)[0]
    solver.budget = Budget(_STEPS, _STATES)
    parts = [part for part, truth in assumptions(case, Region()) if truth is not False]
    try:
        for part in sorted(parts, key=_open):
            yield from witnesses(part, agent, solver)
    except (Exhausted, Undecided):
        return


def _open(region: Region) -> int:
    """Parts in which every open question is answered by yes come first."""
    return sum(True not in free for _question, free in region.answers.values())


def reworded(documents: Sequence[Document], original: Rule, focus: Rule) -> Iterator[Document]:
    """``documents`` with words of ``focus`` where they have others of the same list, or beside them."""
    pairs = zip(original.clauses, focus.clauses, strict=False)
    swaps = [swap for one, two in pairs for swap in _swaps(one.value, two.value)]
    for document in documents:
        made = (args for swap in swaps for args in _rewritten(document.get("args", {}), *swap))
        yield from ({**document, "args": args} for args in itertools.islice(made, _MOST))


def _swaps(before: Any, after: Any) -> Iterator[tuple[list[str], str]]:
    """Words of a list, and one that alone is left of it: the mutant has all but that."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in after:
            if before.get(key) != after[key]:
                yield from _swaps(before.get(key, []), after[key])
    elif isinstance(before, list) and isinstance(after, list) and before != after:
        if len(before) == len(after):
            for pair in zip(before, after, strict=True):
                yield from _swaps(*pair)
        elif after and isinstance(after[-1], str):
            others = [word for word in map(str, before) if word.lstrip("!") != after[-1]]
            yield others, after[-1]


def _rewritten(value: Any, others: list[str], word: str) -> Iterator[Any]:
    """``value`` with one of its texts written anew."""
    if isinstance(value, str):
        yield from _reworded(value, others, word)
    elif isinstance(value, dict | list):
        for key, item in [*(value.items() if isinstance(value, dict) else enumerate(value))]:
            for made in _rewritten(item, others, word):
                copy = value.copy()
                copy[key] = made
                yield copy


def _reworded(text: str, others: list[str], word: str) -> Iterator[str]:
    """``word`` in place of each of ``others``, and at the end."""
    spelt = list(dict.fromkeys([*words_of(word), path_of(word)]))
    for other in others:
        for old in dict.fromkeys([*words_of(other), path_of(other)]):
            found = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
            if found.search(text):
                yield from (found.sub(new.replace("\\", r"\\"), text, count=1) for new in spelt)
    yield from (f"{text} {new}" for new in spelt)
