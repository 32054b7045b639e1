"""How long sources take to become an artifact: all of them, and after a change to one file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from policyc.bench.sources import first_policy, policy_path, write_bundle
from policyc.building import Built, compile_path
from policyc.compiler import CompileCache
from policyc.loading import load_target

T = TypeVar("T")

COLD_TARGET = 10.0
CHANGED_TARGET = 1.0
_CHANGES = 3


@dataclass(frozen=True)
class CompileFigures:
    """One bundle of ``files`` times ``rules / files`` rules. Times are seconds."""

    rules: int
    files: int
    source_bytes: int
    cold_s: float
    """Reading and compiling everything, in a process that has compiled nothing yet of this bundle."""
    cold_target_s: float
    changed_s: float
    """The same after a change to one file, with what is known of the others: the slowest of three changes."""
    changed_target_s: float
    artifact_s: float
    """Writing the artifact's bytes from what was compiled; `policyc build` is this and ``cold_s``."""
    artifact_bytes: int
    load_s: float
    """From the artifact's file to an evaluator: read, checked, specialisable."""

    @property
    def is_met(self) -> bool:
        return self.cold_s <= self.cold_target_s and self.changed_s <= self.changed_target_s


def measure_compile(folder: Path, *, files: int, rules: int) -> CompileFigures:
    """The figures of a bundle written to the new ``folder``: ``files`` files of ``rules`` rules."""
    write_bundle(folder, files=files, rules=rules)
    cache = CompileCache()
    built, cold = _timed(lambda: compile_path(folder, cache))
    changes = [_change(folder, cache, edition, rules) for edition in range(1, _CHANGES + 1)]
    artifact, packed = _timed(built.artifact)
    path = folder.with_name(f"{folder.name}.tar.gz")
    path.write_bytes(artifact)
    _, loaded = _timed(lambda: load_target(path))
    return CompileFigures(
        rules=files * rules,
        files=files,
        source_bytes=sum(map(len, built.sources.values())),
        cold_s=cold,
        cold_target_s=COLD_TARGET,
        changed_s=max(changes),
        changed_target_s=CHANGED_TARGET,
        artifact_s=packed,
        artifact_bytes=len(artifact),
        load_s=loaded,
    )


def _change(folder: Path, cache: CompileCache, edition: int, rules: int) -> float:
    policy_path(folder, 0).write_text(first_policy(edition, rules=rules), "utf-8")
    built, seconds = _timed(lambda: compile_path(folder, cache))
    _check_edition(built, edition)
    return seconds


def _check_edition(built: Built, edition: int) -> None:
    reason = built.data["policies"]["policy-0"]["rules"][0]["reason"]
    if reason != f"Edition {edition} says so.":
        raise RuntimeError(f"the compilation after edition {edition} has {reason!r}")


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = perf_counter()
    result = work()
    return result, perf_counter() - started
