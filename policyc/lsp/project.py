"""The bundle that a file belongs to, as it stands in the editor: open buffers before what is on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from policyc.analysis.lint import Linted, lint
from policyc.compiler import CompileCache, compile_tree
from policyc.compiler.compile import Compilation
from policyc.compiler.presets import shipped_folder, shipped_presets
from policyc.compiler.scope import Library, Scope, read_scope
from policyc.engine.evaluate import Evaluator
from policyc.engine.plan import Plan
from policyc.loading import Loaded
from policyc.source.tree import BUNDLE_FILE, POLICIES, TESTS, VALUES_FILE, SourceTree, read_tests, read_tree
from policyc.testing.coverage import Point
from policyc.testing.run import Result, Runner
from policyc.testing.suite import Suite, checked, suite_of

#: File -> the schema that it is written under.
_KINDS = {BUNDLE_FILE: "bundle", VALUES_FILE: "values"}
_FOLDERS = {POLICIES: "policy", TESTS: "test"}
_SUFFIXES = (".yaml", ".yml", ".json")
#: Ends the stem of the tests of a policy file alone.
_TEST = ".test"
_PRESET = "preset:"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file belongs: ``root`` is the folder of its bundle, or the policy file alone; ``kind`` is its
    schema."""

    root: Path
    kind: str


def place_of(file: Path) -> Place | None:
    """Where ``file`` belongs; None where it is no source of a policy."""
    if file.suffix not in _SUFFIXES:
        return None
    for folder in file.parents:
        if (folder / BUNDLE_FILE).exists() or file == folder / BUNDLE_FILE:
            below = file.relative_to(folder).parts
            kind = _FOLDERS.get(below[0]) if len(below) > 1 else _KINDS.get(below[0])
            return None if kind is None else Place(folder, kind)
    if file.stem.endswith(_TEST):
        tested = [file.with_name(file.stem.removesuffix(_TEST) + suffix) for suffix in _SUFFIXES]
        return next((Place(policy, "test") for policy in tested if policy.exists()), None)
    return Place(file, "policy")


@dataclass(slots=True)
class Reading:
    """What one state of the sources came to. ``plan`` is None where they have errors; ``linted``, ``results``
    and the ``points`` that tests have seen are there once ``look_closer`` has been through."""

    tree: SourceTree
    compilation: Compilation
    scope: Scope
    library: Library
    suite: Suite
    plan: Plan | None = None
    linted: Linted = field(default_factory=Linted)
    results: tuple[Result, ...] = ()
    points: frozenset[Point] = frozenset()


class Project:
    """One bundle, or one policy file alone."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._cache = CompileCache()

    def read(self, buffers: Mapping[Path, str]) -> Reading:
        """What the sources come to, the text of open files in the place of theirs. Raises SourceError."""
        own = {file: text.encode("utf-8", "surrogatepass") for file, text in buffers.items()}
        tree = self._overlaid(own)
        compilation = compile_tree(tree, presets=shipped_presets(), cache=self._cache)
        scope = read_scope(tree, self._cache)
        library = Library(scope, shipped_presets(), self._cache)
        reading = Reading(tree, compilation, scope, library, self._suite(own))
        if compilation.data is not None:
            reading.plan = Plan.load(compilation.data)
            reading.suite = checked(reading.suite, reading.plan)
        return reading

    def _suite(self, own: Mapping[Path, bytes]) -> Suite:
        tree = read_tests(self.root)
        beside = self._below(own, f"{TESTS}/") if self.root.is_dir() else self._beside(own)
        return suite_of([replace(tree, files={**tree.files, **beside})])

    def _beside(self, own: Mapping[Path, bytes]) -> dict[str, bytes]:
        names = [f"{self.root.stem}{_TEST}{suffix}" for suffix in _SUFFIXES]
        return {
            file.name: data
            for file, data in own.items()
            if file.parent == self.root.parent and file.name in names
        }

    def _below(self, own: Mapping[Path, bytes], *starts: str) -> dict[str, bytes]:
        paths = {
            file.relative_to(self.root).as_posix(): data
            for file, data in own.items()
            if file.is_relative_to(self.root)
        }
        return {path: data for path, data in paths.items() if path.startswith(starts)}

    def _overlaid(self, own: Mapping[Path, bytes]) -> SourceTree:
        if self.root in own:  # a file alone need not be on disk yet
            return SourceTree({self.root.name: own[self.root]}, self.root.stem, single=True)
        tree = read_tree(self.root)
        return replace(tree, files={**tree.files, **self._below(own, f"{POLICIES}/", *_KINDS)})

    def file_of(self, path: str) -> Path:
        """The file behind a path as diagnostics and rules give it."""
        if path.startswith(_PRESET):
            preset, _, inner = path.removeprefix(_PRESET).partition("/")
            return shipped_folder(preset) / inner
        return self.root / path if self.root.is_dir() else self.root.with_name(path)

    def path_of(self, file: Path) -> str:
        """The path of a file of this project as diagnostics and rules give it."""
        return file.relative_to(self.root).as_posix() if self.root.is_dir() else file.name


def look_closer(reading: Reading) -> None:
    """Runs the tests of what compiles, and lints it, which may take seconds."""
    plan = reading.plan
    if plan is None:
        return
    if not reading.suite.has_errors:
        runner = Runner(reading.suite, Loaded(Evaluator(plan), "", "", ""), cover=True)
        reading.results = tuple(runner.run())
        reading.points = frozenset(runner.points)
    reading.linted = lint(plan, reading.compilation.sources)
