"""Which tests are asked for: paths on a command line, and words that narrow them down."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from policyc.engine.plan import Plan
from policyc.source.tree import BUNDLE_FILE, POLICIES, TESTS, SourceError
from policyc.testing.case import Case
from policyc.testing.run import deciding
from policyc.testing.suite import Suite

_BESIDE = re.compile(r"(.+)\.test\.(yaml|yml|json)\Z", re.IGNORECASE)
_POLICY_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Wanted:
    """Tests of ``target``: all, or those of ``files`` (paths as cases have them)."""

    target: Path
    files: frozenset[str] | None = None

    def of(self, suite: Suite) -> Suite:
        """What ``suite`` has of these files. Raises SourceError where one of them is not there."""
        if self.files is None:
            return suite
        known = [*suite.sources, *(found.path for found in suite.diagnostics)]
        for file in sorted(self.files):
            if not any(_is_in(path, file) for path in known):
                raise SourceError("unreadable_file", f"{self.target}: there is no test file {file}")
        return replace(
            suite,
            cases=tuple(case for case in suite.cases if self._takes(case.path)),
            diagnostics=tuple(found for found in suite.diagnostics if self._takes(found.path)),
        )

    def _takes(self, path: str) -> bool:
        return any(_is_in(path, file) for file in self.files or ())


def _is_in(path: str, file: str) -> bool:
    return path == file or path.startswith(f"{file}/")


def wanted(paths: Iterable[Path]) -> list[Wanted]:
    """What ``paths`` ask for, by target, in their order: a bundle folder, policy file or artifact with all of
    its tests; a test file, or a folder of them, alone."""
    found: dict[Path, set[str] | None] = {}
    for path in paths:
        target, below = _target(path)
        if below is None:
            found[target] = None
        elif (chosen := found.setdefault(target, set())) is not None:
            chosen.add(below)
    return [Wanted(target, None if files is None else frozenset(files)) for target, files in found.items()]


def _target(path: Path) -> tuple[Path, str | None]:
    """The target that ``path`` is or belongs to, and the path below it of a test file or folder."""
    beside = _BESIDE.match(path.name)
    if beside is not None:
        policies = [path.with_name(beside[1] + suffix) for suffix in _POLICY_SUFFIXES]
        return next((policy for policy in policies if policy.exists()), policies[0]), path.name
    # From the end: a bundle may itself stand in a folder called tests.
    parts = path.parts
    for place in range(len(parts) - 1, -1, -1):
        bundle = Path(*parts[:place])
        if parts[place] == TESTS and _is_bundle(bundle):
            return bundle, "/".join(parts[place:])
    return path, None


def _is_bundle(folder: Path) -> bool:
    return os.path.lexists(folder / BUNDLE_FILE) or (folder / POLICIES).is_dir()


@dataclass(frozen=True)
class Filter:
    """``text`` is part of the path or title, whatever its case; ``policy`` decides a call of the test."""

    text: str | None = None
    policy: str | None = None

    def cases(self, cases: Iterable[Case], plan: Plan) -> list[Case]:
        """Those of ``cases`` that are asked for."""
        return [case for case in cases if self._takes(case, plan)]

    def _takes(self, case: Case, plan: Plan) -> bool:
        if self.text is not None and self.text.casefold() not in f"{case.path} {case.title}".casefold():
            return False
        return self.policy is None or self.policy in deciding(case, plan)
