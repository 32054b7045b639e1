"""The tests of one bundle or policy file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from policyc.engine.plan import Plan
from policyc.source.diagnostics import Diagnostic
from policyc.source.suggest import did_you_mean
from policyc.source.tree import SourceTree, read_tests, read_tests_at
from policyc.testing import reading
from policyc.testing.case import Case


@dataclass(frozen=True)
class Suite:
    """Cases in the order of their files and lines. ``sources`` are the files, by the path that cases and
    ``diagnostics`` give: below the target, or where ``is_given`` as the user gave it. A suite whose
    diagnostics have an error is not to be run."""

    cases: tuple[Case, ...]
    sources: Mapping[str, bytes]
    is_given: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(found.severity == "error" for found in self.diagnostics)

    def only(self, cases: Iterable[Case]) -> Suite:
        """The suite with these of its cases."""
        return replace(self, cases=tuple(cases))


def read_suite(target: Path, paths: Sequence[Path] = ()) -> Suite:
    """The suite of ``target``: the files below ``tests/`` of a bundle folder, or ``NAME.test.yaml`` beside
    the policy file ``NAME.yaml``; with ``paths`` those files and folders instead.

    Raises SourceError where one of ``paths`` cannot be read.
    """
    trees = [read_tests_at(path) for path in paths] if paths else [read_tests(target)]
    return suite_of(trees, is_given=bool(paths))


def suite_of(trees: Iterable[SourceTree], *, is_given: bool = False) -> Suite:
    """The suite in test files that were read."""
    cases: list[Case] = []
    sources: dict[str, bytes] = {}
    diagnostics: list[Diagnostic] = []
    for tree in trees:
        diagnostics += tree.problems
        for path, data in tree.files.items():
            sources[path] = data
            found, wrong = reading.read_test_file(path, data)
            cases += found
            diagnostics += wrong
    return Suite(tuple(cases), sources, is_given, tuple(sorted(diagnostics)))


def checked(suite: Suite, plan: Plan) -> Suite:
    """The suite with a word on each policy that its tests name and ``plan`` has not."""
    named = {(case.path, case.policy): case for case in reversed(suite.cases) if case.policy is not None}
    unknown = [
        Diagnostic(
            "unknown_policy", "error", case.path, case.line, 1, "$",
            f"the test is of the policy `{case.policy}`, which is not there",
            did_you_mean(case.policy or "", plan.policies),
        )
        for case in named.values()
        if case.policy not in plan.policies
    ]  # fmt: skip
    return replace(suite, diagnostics=tuple(sorted({*suite.diagnostics, *unknown})))
