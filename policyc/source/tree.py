"""The source files of a bundle, read once: everything after this works on bytes in memory."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from policyc.source.catalogue import CATALOGUE
from policyc.source.diagnostics import START, Diagnostic
from policyc.source.names import bundle_name

BUNDLE_FILE = "bundle.yaml"
VALUES_FILE = "values.yaml"
POLICIES = "policies"
TESTS = "tests"
_SUFFIXES = (".yaml", ".yml", ".json")
#: Unicode categories that an artifact does not take in a path: control, format, surrogate, line separators.
_UNSHOWABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Bounds on what is read."""

    file: int = 8 << 20
    total: int = 64 << 20
    files: int = 10_000


class SourceError(Exception):
    """The path cannot be read at all: ``code`` is of the catalogue."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class SourceTree:
    """Source files by their path in the bundle (``policies/a.yaml``, ``/`` on every system).

    ``single``: one policy file alone, with its base name as path. ``problems``: what could not be read.
    """

    files: Mapping[str, bytes]
    name: str
    single: bool = False
    problems: tuple[Diagnostic, ...] = ()


def read_tree(path: Path, limits: SizeLimits | None = None) -> SourceTree:
    """The bundle folder or the lone policy file at ``path``. Raises SourceError."""
    limits = limits or SizeLimits()
    try:
        if path.is_dir():
            root = path.resolve(strict=True)
            return _Folder(root, limits).read()
        data = _read(path, limits.file)
    except OSError as error:
        raise SourceError("unreadable_file", f"{path}: {_why(error)}") from None
    if len(data) > limits.file:
        raise SourceError("file_too_large", f"{path}: more than {limits.file:,} bytes")
    return SourceTree({_showable(path.name): data}, bundle_name(path.stem), single=True)


def read_tests(path: Path, limits: SizeLimits | None = None) -> SourceTree:
    """The test files of the bundle folder or the lone policy file at ``path``. Raises SourceError."""
    limits = limits or SizeLimits()
    if path.is_dir():
        return _Folder(path.resolve(strict=True), limits).read_below(TESTS)
    beside = [path.with_name(f"{path.stem}.test{suffix}") for suffix in _SUFFIXES]
    found = next((test for test in beside if os.path.lexists(test)), None)
    return SourceTree({}, path.stem, single=True) if found is None else read_tree(found, limits)


def read_tests_at(path: Path, limits: SizeLimits | None = None) -> SourceTree:
    """The test file at ``path``, or those below that folder, by their paths as ``path`` is given.

    Raises SourceError.
    """
    limits = limits or SizeLimits()
    if not path.is_dir():
        (data,) = read_tree(path, limits).files.values()
        return SourceTree({_showable(path.as_posix()): data}, path.stem, single=True)
    root = path.resolve(strict=True)
    tree = _Folder(root.parent, limits).read_below(root.name)
    files = {path.as_posix() + name.removeprefix(root.name): data for name, data in tree.files.items()}
    return SourceTree(files, root.name, problems=tree.problems)


class _Folder:
    def __init__(self, root: Path, limits: SizeLimits) -> None:
        self._root = root
        self._limits = limits
        self._files: dict[str, bytes] = {}
        self._problems: list[Diagnostic] = []
        self._total = 0

    def read(self) -> SourceTree:
        for entry in sorted(os.listdir(self._root)):
            self._top(entry)
        return self.read_below(POLICIES)

    def read_below(self, folder: str) -> SourceTree:
        """The files below ``folder`` alone."""
        for path, real in self._walk(folder, frozenset()):
            if not self._take(path, real):
                break
        return SourceTree(self._files, bundle_name(self._root.name), problems=tuple(sorted(self._problems)))

    def _top(self, entry: str) -> None:
        if entry in (BUNDLE_FILE, VALUES_FILE):
            real = self._inside(entry)
            if real is not None:
                self._take(entry, real)
        elif _is_source(entry, (".yaml", ".yml")) and (self._root / entry).is_file():
            stem = entry.rpartition(".")[0]
            right = f"{stem}.yaml" if f"{stem}.yaml" in (BUNDLE_FILE, VALUES_FILE) else f"{POLICIES}/{entry}"
            self._problem("misplaced_file", entry, "this file is not read here", f"move it to {right}")

    def _walk(self, folder: str, above: frozenset[Path]) -> Iterator[tuple[str, Path]]:
        """Source files below ``folder``, in order, with their real paths; links inside it are followed."""
        real = self._inside(folder) if os.path.lexists(self._root / folder) else None
        if real is None or not real.is_dir():
            return
        if real in above:
            self._problem("unreadable_file", folder, "this link leads back to a folder it is in")
            return
        try:
            entries = sorted(os.listdir(real))
        except OSError as error:
            self._problem("unreadable_file", folder, _why(error))
            return
        for entry in entries:
            path = f"{folder}/{entry}"
            if entry.startswith((".", "#", "~")):
                continue
            if (self._root / path).is_dir():
                yield from self._walk(path, above | {real})
            elif _is_source(entry, _SUFFIXES):
                found = self._inside(path)
                if found is not None:
                    yield path, found

    def _inside(self, path: str) -> Path | None:
        """The real path of ``path``, or None when it leads out of the bundle or to nothing."""
        try:
            real = (self._root / path).resolve(strict=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before Python 3.13
            self._problem("unreadable_file", path, _why(error))
            return None
        if not real.is_relative_to(self._root):
            self._problem(
                "link_leaves_bundle", path, "this link leads out of the bundle", "copy the file here"
            )
            return None
        return real

    def _take(self, path: str, real: Path) -> bool:
        """Read one file; False when the bundle is too large to go on."""
        if _showable(path) != path:
            self._problem("bad_file_name", path, "a character of this name cannot be shown", "rename it")
            return True
        try:
            if not stat.S_ISREG(real.stat().st_mode):
                self._problem("unreadable_file", path, "not a regular file")
                return True
            data = _read(real, self._limits.file)
        except OSError as error:
            self._problem("unreadable_file", path, _why(error))
            return True
        self._total += len(data)
        if len(data) > self._limits.file:
            self._problem("file_too_large", path, f"more than {self._limits.file:,} bytes")
        elif self._total > self._limits.total:
            self._problem(
                "bundle_too_large", path, f"with this file more than {self._limits.total:,} bytes in all"
            )
            return False
        elif len(self._files) >= self._limits.files:
            self._problem("bundle_too_large", path, f"more than {self._limits.files:,} files")
            return False
        else:
            self._files[path] = data
        return True

    def _problem(self, code: str, path: str, message: str, hint: str | None = None) -> None:
        severity = CATALOGUE[code].severity
        self._problems.append(Diagnostic(code, severity, _showable(path), *START, "$", message, hint))


def _is_source(entry: str, suffixes: tuple[str, ...]) -> bool:
    """Whether a file is a source by name: not hidden, and not what an editor leaves behind."""
    return not entry.startswith((".", "#", "~")) and entry.lower().endswith(suffixes)


def _showable(path: str) -> str:
    """``path`` with ``_`` for every character that an artifact does not take in a name."""
    bad = (char == "\\" or unicodedata.category(char) in _UNSHOWABLE for char in path)
    return "".join("_" if refused else char for char, refused in zip(path, bad, strict=True))


def _read(path: Path, limit: int) -> bytes:
    """At most one byte more than ``limit``, which tells that there is more."""
    with path.open("rb") as file:
        return file.read(limit + 1)


def _why(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return text[0].lower() + text[1:]
