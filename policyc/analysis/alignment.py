"""Which cases of two policies are the same: by what they say, or because they are proved to mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from policyc.analysis.addresses import Undecided
from policyc.analysis.budget import Exhausted
from policyc.analysis.cases import Case
from policyc.analysis.conditions import Condition, Sort
from policyc.analysis.languages import globbed
from policyc.analysis.solver import Solver
from policyc.analysis.values import Texts, Values


def aligned(old: Sequence[Case], new: Sequence[Case], solver: Solver) -> dict[int, int]:
    """Places in ``old`` and the places of the same cases in ``new``, both ascending."""
    keys = [case.key for case in old], [case.key for case in new]
    found: dict[int, int] = {}
    before = after = 0
    for block in SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks():
        if block.a - before == block.b - after:
            gap = zip(range(before, block.a), range(after, block.b), strict=True)
            found.update((one, two) for one, two in gap if _mean_the_same(old[one], new[two], solver))
        found.update((block.a + step, block.b + step) for step in range(block.size))
        before, after = block.a + block.size, block.b + block.size
    return found


def _mean_the_same(one: Case, two: Case, solver: Solver) -> bool:
    """Where it is not proved the answer is no, which costs time and nothing else."""
    if _does(one) != _does(two) or len(one.conditions) != len(two.conditions):
        return False
    try:
        return _cover_the_same(one.globs, two.globs, solver) and all(
            _ask_the_same(*pair, solver) for pair in zip(one.conditions, two.conditions, strict=True)
        )
    except (Exhausted, Undecided):
        return False


def _does(case: Case) -> tuple[object, ...]:
    return case.effects, case.noted, case.stages


def _cover_the_same(one: tuple[str, ...] | None, two: tuple[str, ...] | None, solver: Solver) -> bool:
    if one == two or one is None or two is None:
        return one == two
    languages = globbed(one), globbed(two)
    return all(
        not solver.has_text(Texts(frozenset({(languages[side], True), (languages[1 - side], False)})))
        for side in (0, 1)
    )


def _ask_the_same(one: Condition, two: Condition, solver: Solver) -> bool:
    if one == two:
        return True
    if not isinstance(one, Sort) or not isinstance(two, Sort) or one.path != two.path:
        return False
    return _is_empty(one.true.meet(two.false), solver) and _is_empty(one.false.meet(two.true), solver)


def _is_empty(values: Values, solver: Solver) -> bool:
    if values.constants or values.numbers:
        return False
    return values.texts is None or not solver.has_text(values.texts)
