"""What the walk knows at one place of the line: variables, positional parameters, the working folder."""

from __future__ import annotations

import re

from policyc.engine.file_paths import normalise
from policyc.engine.shell.fields import NUMBER, UNKNOWN, Dynamic, Glob
from policyc.engine.shell.tree import Node

#: A path with nothing to resolve, decode or fold in it.
_SIMPLE = re.compile(r"/|/?[A-Za-z0-9_+@\-][\w.+@\-]*(?:/[A-Za-z0-9_+@\-][\w.+@\-]*)*/?", re.ASCII)

#: Variables a line may set; more are not followed.
MAX_VARIABLES = 256

#: Stands for the folder in ``$TMPDIR`` of the environment: some folder for temporary files.
TEMPORARY = "/tmp/.tmpdir"

#: Values where the line set none.
_DEFAULTS: dict[str, str] = {
    "IFS": " \t\n",
    "SHELL": "/bin/bash",
    "BASH": "/bin/bash",
    "TMPDIR": TEMPORARY,
}
#: Names that stand for something even where the line did not set them: what it sets is always followed.
_ALWAYS = frozenset({*_DEFAULTS, "HOME", "PWD", "OLDPWD"})


class Place:
    """Where a command runs: what its relative paths start from."""

    __slots__ = ("cwd", "home", "os")

    def __init__(self, cwd: str | None, home: str | None, os: str | None) -> None:
        self.cwd = cwd  # "": the call did not say; None: cannot be known
        self.home = home
        self.os = os

    def resolve(self, path: str) -> str | None:
        """The normal form of a path; None where it is relative to an unknown folder."""
        if self.cwd is None and path[:1] not in ("/", "~"):
            return None
        return normal(path, self.cwd, self.home, self.os)


class Variables:
    """``cwd`` is None where it cannot be known, and ``""`` where the call did not say."""

    __slots__ = (
        "changes",
        "clock",
        "cwd",
        "exported",
        "folders",
        "functions",
        "home",
        "os",
        "positional",
        "values",
    )

    def __init__(self, cwd: str | None, home: str | None, os: str | None) -> None:
        self.values: dict[str, str | Dynamic | list[str | Dynamic]] = {}
        self.positional: list[str | Dynamic] | None = None
        self.cwd: str | None = normal(cwd, None, home, os) if cwd else ""
        self.home = home
        self.os = os
        self.folders: list[str | None] = []
        self.exported: frozenset[str] = frozenset()
        #: What a name may call: bodies of functions, and None where it may still be a program.
        self.functions: dict[str, tuple[Node | None, ...]] = {}
        #: Which change was the last one here; the copies of one walk share the clock that counts them.
        self.clock = [0]
        self.changes = 0

    def copy(self) -> Variables:
        twin = Variables.__new__(Variables)
        twin.values = dict(self.values)
        twin.positional = self.positional
        twin.cwd = self.cwd
        twin.home = self.home
        twin.os = self.os
        twin.folders = list(self.folders)
        twin.exported = self.exported
        twin.functions = dict(self.functions)
        twin.clock = self.clock
        twin.changes = self.changes
        return twin

    def child(self) -> Variables:
        """What a new shell knows: of variables and functions, the exported ones."""
        twin = self.copy()
        for name in twin.values:
            if name not in self.exported:
                twin.values[name] = UNKNOWN
        for name, bodies in twin.functions.items():
            twin.functions[name] = (*bodies, None)
        return twin

    def define(self, name: str, body: Node) -> None:
        self.functions[name] = (body,)
        self.changed()

    def arguments(self, positional: list[str | Dynamic] | None) -> None:
        self.positional = positional
        self.changed()

    def changed(self) -> None:
        self.clock[0] += 1
        self.changes = self.clock[0]

    def set(self, name: str, value: str | Dynamic | list[str | Dynamic]) -> None:
        if name not in self.values and len(self.values) >= MAX_VARIABLES and name not in _ALWAYS:
            return  # a name that is not followed is not known
        self.values[name] = value
        self.changed()

    def forget(self) -> None:
        """Nothing is known any more: a script ran in this shell."""
        for name in self.values:
            self.values[name] = UNKNOWN
        self.values["TMPDIR"] = UNKNOWN
        self.positional = None
        self.changed()

    def go(self, folder: str | None) -> None:
        self.cwd = folder
        self.changed()

    @property
    def place(self) -> Place:
        return Place(self.cwd, self.home, self.os)

    def resolve(self, path: str) -> str | None:
        return self.place.resolve(path)

    def join(self, other: Variables) -> None:
        """From here on, either this or ``other`` may be the case."""
        if other.changes == self.changes:
            return
        for name in {**self.values, **other.values}:
            if self.values.get(name) != other.values.get(name):
                self.values[name] = UNKNOWN
        for name in {**self.functions, **other.functions}:
            mine, theirs = self.functions.get(name, (None,)), other.functions.get(name, (None,))
            self.functions[name] = mine if mine == theirs else tuple(dict.fromkeys(mine + theirs))
        self.exported &= other.exported
        if self.cwd != other.cwd:
            self.cwd = None
        if self.positional != other.positional:
            self.positional = None
        self.changed()

    def get(self, name: str) -> str | Dynamic | list[str | Dynamic]:
        """The value of a parameter; one the line did not set comes from the environment and is not known."""
        value = self.values.get(name)
        if value is not None:
            return value
        if name.isdigit():
            return self._positional(int(name))
        if name in ("@", "*"):
            return UNKNOWN if self.positional is None else self.positional
        if name in ("#", "?", "$", "!", "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO", "BASHPID"):
            return NUMBER
        if name == "HOME":
            return self.home or "~"
        if name == "PWD":
            return UNKNOWN if self.cwd is None else self.cwd or "."
        if name == "OLDPWD" and self.folders and self.folders[-1] is not None:
            return self.folders[-1]
        return _DEFAULTS.get(name, UNKNOWN)

    def _positional(self, number: int) -> str | Dynamic:
        if self.positional is None or number == 0:
            return UNKNOWN
        return self.positional[number - 1] if number <= len(self.positional) else ""


def normal(path: str, cwd: str | None, home: str | None, os: str | None) -> str:
    """``path`` in normal form, still a pattern where it was one."""
    if (
        _SIMPLE.fullmatch(path) is not None
        and "proc" not in path
        and (path[0] == "/" or (cwd and cwd[0] == "/"))
    ):
        text = path if path[0] == "/" else f"{cwd}/{path}" if cwd != "/" else "/" + path
        text = text.rstrip("/") or "/"
        if os is None or os == "linux":
            return Glob(text) if isinstance(path, Glob) else text
    text = normalise(path, cwd or None, home, os)
    return Glob(text) if isinstance(path, Glob) else text
