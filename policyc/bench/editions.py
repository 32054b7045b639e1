"""Editions of what is served, each made beforehand and put in place by one rename."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from policyc.bench.sources import first_policy, policy_path, write_bundle
from policyc.building import compile_path
from policyc.compiler import CompileCache


@dataclass(frozen=True)
class Editions:
    """Edition 0 is at ``path``; ``count`` more wait outside of what the server watches."""

    kind: str
    path: Path
    files: int
    rules: int
    """Of each file."""
    count: int
    waiting: Path
    changed: Path
    """What ``put`` replaces: ``path``, or one file in it."""

    def put(self, edition: int) -> None:
        """Puts ``edition`` in place."""
        (self.waiting / str(edition)).replace(self.changed)


def artifact_editions(folder: Path, *, files: int, rules: int, count: int) -> Editions:
    """Artifacts of the sources in ``folder``, which is new; the one that is served is beside it."""
    write_bundle(folder, files=files, rules=rules)
    served, waiting = folder.with_name(f"{folder.name}.tar.gz"), _waiting(folder)
    cache = CompileCache()
    served.write_bytes(compile_path(folder, cache).artifact())
    for edition in range(1, count + 1):
        policy_path(folder, 0).write_text(first_policy(edition, rules=rules), "utf-8")
        (waiting / str(edition)).write_bytes(compile_path(folder, cache).artifact())
    return Editions("artifact", served, files, rules, count, waiting, served)


def folder_editions(folder: Path, *, files: int, rules: int, count: int) -> Editions:
    """The sources in ``folder``, which is new, and other texts of one of its files."""
    write_bundle(folder, files=files, rules=rules)
    waiting = _waiting(folder)
    for edition in range(1, count + 1):
        (waiting / str(edition)).write_text(first_policy(edition, rules=rules), "utf-8")
    return Editions("folder", folder, files, rules, count, waiting, policy_path(folder, 0))


def _waiting(folder: Path) -> Path:
    waiting = folder.with_name(f"{folder.name}-editions")
    waiting.mkdir()
    return waiting
