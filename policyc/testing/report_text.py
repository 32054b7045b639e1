"""What became of tests, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from policyc.engine.explain import shown
from policyc.source.render import visible
from policyc.source.suggest import did_you_mean
from policyc.testing.coverage import Coverage, Point, RuleCoverage, percent
from policyc.testing.run import Failure, Result
from policyc.testing.session import Tested

#: Failures that are shown with their rules; of more, one line each is enough to see what they share.
_IN_FULL = 20

#: A path of the target -> the path as the user would open it.
Opened = Callable[[str], str]


def failure_lines(tested: Tested, opened: Opened, failed: Sequence[Result]) -> Iterator[str]:
    """Each failure: where, what was expected and what came, what decided, and the rules before it."""
    labels = [rule.label for policy in tested.loaded.plan.policies.values() for rule in policy.rules]
    for number, result in enumerate(failed):
        lines = _failure(result, opened, labels, in_full=number < _IN_FULL)
        yield from (visible(line) for line in lines)


def _failure(result: Result, opened: Opened, labels: Sequence[str], *, in_full: bool) -> Iterator[str]:
    failure = result.failure
    assert failure is not None
    yield f"{opened(result.case.path)}:{failure.line}: FAILED {result.case.title}"
    if failure.problem is not None:
        yield f"  {failure.problem}"
    for difference in failure.differences:
        yield f"  {difference.key}: expected {shown(difference.expected)}, got {shown(difference.got)}"
        if difference.key == "rule" and isinstance(difference.expected, str):
            yield from _unknown_rule(difference.expected, labels)
    if in_full and failure.outcome is not None:
        yield from _decision(failure, opened)


def _unknown_rule(label: str, labels: Sequence[str]) -> Iterator[str]:
    if label not in labels:
        hint = did_you_mean(label, labels)
        yield f"    no rule has this label{f'; {hint}' if hint else ''}"


def _decision(failure: Failure, opened: Opened) -> Iterator[str]:
    outcome, ask = failure.outcome, failure.ask
    assert outcome is not None
    assert ask is not None
    by = "the default_verdict" if outcome.rule is None else f'rule "{outcome.rule}"'
    where = "no policy" if outcome.source is None else place(outcome.source, opened)
    yield f"  decided by {by} ({where}): {outcome.reason}"
    yield f"  call: {shown(ask.document)}"
    yield from (f"    {line}" for line in failure.trace.short_lines())


def place(source: str, opened: Opened) -> str:
    """``path:line`` with the path as the user would open it."""
    path, _, line = source.rpartition(":")
    return f"{opened(path)}:{line}"


def summary(tested: Sequence[Tested], seconds: float) -> str:
    """``3 failed, 252 passed in 0.21 s``."""
    failed = sum(len(one.failed) for one in tested)
    passed = sum(len(one.results) for one in tested) - failed
    word = f"{failed} failed, {passed} passed" if failed else f"{passed} passed"
    return f"{word} in {seconds:.2f} s"


def coverage_lines(tested: Tested, opened: Opened) -> Iterator[str]:
    """The share of each policy, and each outcome that no test came to."""
    found = tested.coverage
    assert found is not None
    for name, share in found.by_policy.items():
        yield visible(f'  policy "{name}": {share:.1f} %')
    places = tested.places
    for rule in found.own:
        for point in rule.missed:
            yield visible(f"  {opened(rule.rule.source.path)}:{places.line(*point[:2])}: {said(rule, point)}")
    own = f"coverage {found.percent:.1f} %" if found.own else "no rules of its own"
    yield visible(f"{tested.target}: {own}{_of_foreign(found)}")


def _of_foreign(found: Coverage) -> str:
    rules = len(found.foreign)
    return f" ({rules} rules of included bundles apart: {percent(found.foreign):.1f} %)" if rules else ""


def said(rule: RuleCoverage, point: Point) -> str:
    """What no test came to, in words."""
    _, condition, outcome = point
    label = f'rule "{rule.rule.label}"'
    if condition == "rule":
        return f"{label} {'never matches' if outcome else 'is never passed over'}"
    if isinstance(condition, int):
        clause = rule.rule.clauses[condition]
        negated = "not " if clause.negated else ""
        condition = f"{clause.path} {negated}{clause.op} {shown(clause.value)}"
    return f"{label}: {condition} is never {'true' if outcome else 'false'}"
