"""Which tests are asked for: paths on a command line, and words that narrow them down."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from policyc.engine.plan import Plan
from policyc.source.tree import BUNDLE_FILE, POLICIES, TESTS
from policyc.testing.case import Case
from policyc.testing.run import deciding

_BESIDE = re.compile(r"(.+)\.test\.(yaml|yml|json)\Z", re.IGNORECASE)
_POLICY_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Wanted:
    """Tests of ``target``: all, or those of ``files`` (paths as cases have them)."""

    target: Path
    files: frozenset[str] | None = None


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

    def cases(self, cases: Iterable[Case], plan: Plan, files: frozenset[str] | None) -> list[Case]:
        """Those of ``cases`` that are asked for."""
        return [case for case in cases if self._takes(case, plan) and _is_of(case, files)]

    def _takes(self, case: Case, plan: Plan) -> bool:
        if self.text is not None and self.text.casefold() not in f"{case.path} {case.title}".casefold():
            return False
        return self.policy is None or self.policy in deciding(case, plan)


def _is_of(case: Case, files: frozenset[str] | None) -> bool:
    if files is None:
        return True
    return any(case.path == file or case.path.startswith(f"{file}/") for file in files)
