"""What the walk knows at one place of the line: variables, positional parameters, the working folder."""

from __future__ import annotations

import re

from policyc.engine.file_paths import normalise
from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.fields import ENVIRONMENT, NUMBER, UNKNOWN, UNSET, Dynamic, Glob, tame
from policyc.engine.shell.tree import Node

#: A path with nothing to resolve, decode or fold in it.
_SIMPLE = lazy_pattern(r"/|/?[A-Za-z0-9_+@\-][\w.+@\-]*(?:/[A-Za-z0-9_+@\-][\w.+@\-]*)*/?", re.ASCII)

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

#: Attributes of names that matter here, and those of them that change the case.
_ATTRIBUTES, _CASES = frozenset("Acilnu"), "clu"


class Place:
    """Where a command runs: what its relative paths start from."""

    __slots__ = ("cwd", "home", "os")

    def __init__(self, cwd: str | None, home: str | None, os: str | None) -> None:
        self.cwd = cwd  # "": the call did not say; None: cannot be known
        self.home = home
        self.os = os

    def resolve(self, path: str) -> str | None:
        """The normal form of a path; None where it is relative to a folder that is not known, or leaves one
        of which only the contents are."""
        if path[:1] not in ("/", "~") and (
            self.cwd is None or (self.cwd.startswith(TEMPORARY) and ".." in path)
        ):
            return None
        return normal(path, self.cwd, self.home, self.os)


class Variables:
    """``cwd`` is None where it cannot be known, and ``""`` where the call did not say."""

    __slots__ = (
        "attributes",
        "changes",
        "clock",
        "cwd",
        "exported",
        "folders",
        "functions",
        "home",
        "locals",
        "os",
        "positional",
        "values",
    )

    def __init__(self, cwd: str | None, home: str | None, os: str | None) -> None:
        self.values: dict[str, str | Dynamic | list[str | Dynamic]] = {}
        #: Letters of ``declare`` that change what a name holds: A, c, i, l, n, u.
        self.attributes: dict[str, str] = {}
        #: What the names that the function declared ``local`` hold after it, and their attributes; None is
        #: what the environment holds.
        self.locals: dict[str, tuple[str | Dynamic | list[str | Dynamic] | None, str | None]] = {}
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
        twin.attributes = dict(self.attributes)
        twin.locals = dict(self.locals)
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
                twin.values[name] = ENVIRONMENT
        twin.attributes = {}
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
        if name in self.attributes:
            name, value = self._held(name, value)
        if name not in self.values and len(self.values) >= MAX_VARIABLES and name not in _ALWAYS:
            return  # a name that is not followed is not known
        self.values[name] = value
        self.changed()

    def _held(
        self, name: str, value: str | Dynamic | list[str | Dynamic]
    ) -> tuple[str, str | Dynamic | list[str | Dynamic]]:
        """Where an assignment to a name with attributes goes, and what of it."""
        letters = self.attributes[name]
        if "n" in letters:
            target = self.values.get(name)
            if isinstance(target, str) and target.isidentifier() and target not in self.attributes:
                return target, value
            self.forget()
            return name, UNKNOWN
        if isinstance(value, list) and "A" in letters:
            return name, ENVIRONMENT if tame(value) else UNKNOWN
        if not isinstance(value, str):
            return name, value if letters in ("A", "") else UNKNOWN
        if "i" in letters:
            return name, value if value.isdigit() else NUMBER
        if "c" in letters:
            return name, UNKNOWN
        return name, value.lower() if "l" in letters else value.upper() if "u" in letters else value

    def attribute(self, name: str, letters: str, on: bool) -> None:
        """``declare -<letters> name``, or ``+<letters>``."""
        gone = letters + _CASES if on and set(letters) & set(_CASES) else letters
        kept = "".join(letter for letter in self.attributes.get(name, "") if letter not in gone)
        self.attributes[name] = kept + "".join(filter(_ATTRIBUTES.__contains__, letters)) if on else kept
        self.changed()

    def associative(self, name: str) -> bool:
        return "A" in self.attributes.get(name, "")

    def local(self, name: str) -> None:
        """From here to the end of the function the name is another one."""
        if name not in self.locals:
            self.locals[name] = self.values.get(name), self.attributes.pop(name, None)

    def leave(self, outer: dict[str, tuple[str | Dynamic | list[str | Dynamic] | None, str | None]]) -> None:
        """The function ends; ``outer`` are the locals of the one that called it."""
        for name, (value, attributes) in self.locals.items():
            self.values.pop(name, None)
            self.attributes.pop(name, None)
            if value is not None:
                self.values[name] = value
            if attributes is not None:
                self.attributes[name] = attributes
            self.changed()
        self.locals = outer

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
            self.values[name] = _either(self.values.get(name), other.values.get(name))
        for name in {**self.locals, **other.locals}:
            mine, theirs = (
                state.locals.get(name, (state.values.get(name), state.attributes.get(name)))
                for state in (self, other)
            )
            attributes = mine[1] if mine[1] == theirs[1] else "c"
            self.locals[name] = _either(mine[0], theirs[0]), attributes
        for name in {**self.attributes, **other.attributes}:
            if self.attributes.get(name) != other.attributes.get(name):
                self.attributes[name] = "c"  # what it will hold is not known
        for name in {**self.functions, **other.functions}:
            bodies, others = self.functions.get(name, (None,)), other.functions.get(name, (None,))
            self.functions[name] = bodies if bodies == others else tuple(dict.fromkeys(bodies + others))
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
            return self._referred(value) if "n" in self.attributes.get(name, "") else value
        if name.isdigit():
            return self._positional(int(name))
        if name in ("@", "*"):
            return ENVIRONMENT if self.positional is None else self.positional
        if name in ("#", "?", "$", "!", "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO", "BASHPID"):
            return NUMBER
        if name == "HOME":
            return self.home or "~"
        if name == "PWD":
            return UNKNOWN if self.cwd is None else self.cwd or "."
        if name == "OLDPWD" and self.folders and self.folders[-1] is not None:
            return self.folders[-1]
        return _DEFAULTS.get(name, ENVIRONMENT)

    def _referred(self, target: str | Dynamic | list[str | Dynamic]) -> str | Dynamic | list[str | Dynamic]:
        """The value behind ``declare -n``."""
        if not isinstance(target, str) or not target.isidentifier() or target in self.attributes:
            return UNKNOWN
        return self.get(target)

    def _positional(self, number: int) -> str | Dynamic:
        if self.positional is None or number == 0:
            return ENVIRONMENT
        return self.positional[number - 1] if number <= len(self.positional) else UNSET


def _either(
    mine: str | Dynamic | list[str | Dynamic] | None, theirs: str | Dynamic | list[str | Dynamic] | None
) -> str | Dynamic | list[str | Dynamic]:
    """What is known of a value that is one of two, None for what the environment holds."""
    if mine is not None and mine == theirs and (mine is UNSET) is (theirs is UNSET):
        return mine
    return ENVIRONMENT if tame(mine) and tame(theirs) else UNKNOWN


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
