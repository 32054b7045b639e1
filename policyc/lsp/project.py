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
from policyc.engine.plan import Plan
from policyc.source.tree import BUNDLE_FILE, POLICIES, VALUES_FILE, SourceTree, read_tree

#: File -> the schema that it is written under.
_KINDS = {BUNDLE_FILE: "bundle", VALUES_FILE: "values"}
_SUFFIXES = (".yaml", ".yml", ".json")
_PRESET = "preset:"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file belongs: ``root`` is the folder of its bundle, or the file itself where it is a policy
    alone; ``kind`` is its schema."""

    root: Path
    kind: str


def place_of(file: Path) -> Place | None:
    """Where ``file`` belongs; None where it is no source of a policy."""
    if file.suffix not in _SUFFIXES:
        return None
    for folder in file.parents:
        if (folder / BUNDLE_FILE).exists() or file == folder / BUNDLE_FILE:
            below = file.relative_to(folder).parts
            kind = "policy" if below[0] == POLICIES else _KINDS.get("/".join(below))
            return None if kind is None else Place(folder, kind)
    return Place(file, "policy")


@dataclass(slots=True)
class Reading:
    """What one state of the sources came to. ``plan`` is None where they have errors, ``linted`` until lint
    has looked."""

    tree: SourceTree
    compilation: Compilation
    scope: Scope
    library: Library
    plan: Plan | None = None
    linted: Linted = field(default_factory=Linted)


class Project:
    """One bundle, or one policy file alone."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._cache = CompileCache()

    def read(self, buffers: Mapping[Path, str]) -> Reading:
        """What the sources come to, the text of open files in the place of theirs. Raises SourceError."""
        tree = self._overlaid(buffers)
        compilation = compile_tree(tree, presets=shipped_presets(), cache=self._cache)
        scope = read_scope(tree, self._cache)
        reading = Reading(tree, compilation, scope, Library(scope, shipped_presets(), self._cache))
        if compilation.data is not None:
            reading.plan = Plan.load(compilation.data)
        return reading

    def _overlaid(self, buffers: Mapping[Path, str]) -> SourceTree:
        own = {file: text.encode("utf-8", "surrogatepass") for file, text in buffers.items()}
        if self.root in own:  # a file alone need not be on disk yet
            return SourceTree({self.root.name: own[self.root]}, self.root.stem, single=True)
        tree = read_tree(self.root)
        below = {
            file.relative_to(self.root).as_posix(): data
            for file, data in own.items()
            if file.is_relative_to(self.root)
        }
        known = {path: data for path, data in below.items() if path in tree.files or _is_read(path)}
        return replace(tree, files={**tree.files, **known})

    def file_of(self, path: str) -> Path:
        """The file behind a path as diagnostics and rules give it."""
        if path.startswith(_PRESET):
            preset, _, inner = path.removeprefix(_PRESET).partition("/")
            return shipped_folder(preset) / inner
        return self.root / path if self.root.is_dir() else self.root

    def path_of(self, file: Path) -> str:
        """The path of a file of this project as diagnostics and rules give it."""
        return file.relative_to(self.root).as_posix() if self.root.is_dir() else file.name


def look_closer(reading: Reading) -> None:
    """Lints what compiles, which may take seconds."""
    if reading.plan is not None:
        reading.linted = lint(reading.plan, reading.compilation.sources)


def _is_read(path: str) -> bool:
    return path in _KINDS or path.startswith(f"{POLICIES}/")
