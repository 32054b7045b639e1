"""Path globs: ``**`` any run of folders, also none; ``*`` any run within a name; ``?`` one character.

How a pattern is anchored:

- ``*.pem``, ``.ssh/**``, ``**/.env``: at any depth of any path.
- ``/etc/**``: at the root (on Windows: of any drive). ``C:/x``, ``//server/share/x``: there.
- ``~/.ssh/**``: in anyone's home, known or not; ``~ann/...`` in Ann's.
- ``./src/**``: in the call's working folder.

``x/**`` (or ``x/``) covers ``x`` itself and all below; ``x`` covers just ``x``. ``[`` and ``{`` are literal.
Case counts, except where the call's ``os`` is darwin or windows. Nothing backtracks: each name is tried
against each name of the pattern at most once per ``**``.
"""

from __future__ import annotations

from policyc.engine.file_paths import is_darwin, is_windows, nfc, normalise, reads_as_windows, split
from policyc.engine.name_globs import covers, fold, name_glob
from policyc.engine.remembered import remembered
from policyc.engine.same_file import is_opaque, other_names
from policyc.engine.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Iterator

    from policyc.engine.name_globs import Run

__all__ = ["Subject", "judge", "matches", "normalise"]

#: Where homes are; ``*`` is the owner's name.
_HOMES = (
    ("home", "*"),
    ("Users", "*"),
    ("var", "home", "*"),
    ("usr", "home", "*"),
    ("export", "home", "*"),
    ("Documents and Settings", "*"),
    ("root",),
    ("var", "root"),
)
_HOMES_FOLDED = tuple(tuple(name.lower() for name in shape) for shape in _HOMES)
_HOME_TOPS = frozenset(shape[0] for shape in _HOMES_FOLDED)


def matches(pattern: str, path: str, os: str | None = None) -> bool:
    """Whether ``pattern`` certainly covers ``path``, a normal form (``normalise``). Never raises."""
    return judge(pattern, path, os) is True


def judge(
    pattern: str, path: str, os: str | None = None, cwd: str | None = None, home: str | None = None
) -> bool | None:
    """Whether ``pattern`` covers ``path``, a normal form; None where that cannot be known.

    ``cwd`` is what a pattern in ``./`` starts from, ``home`` a home beside the usual places.
    """
    return Subject(path, os, cwd, home).judge(pattern)


class Subject:
    """A path in normal form, made ready for many patterns."""

    __slots__ = ("_homes", "_words", "cwd", "folds", "home", "names", "opaque", "os")

    def __init__(
        self, path: str, os: str | None = None, cwd: str | None = None, home: str | None = None
    ) -> None:
        self.os = os
        self.cwd = cwd
        self.home = home
        self.folds = is_darwin(os) or reads_as_windows(path, os)
        #: Its root and names, and those of what is surely the same file.
        self.names = [self._split(name) for name in (path, *other_names(path, os))]
        self.opaque = is_opaque(path, os)
        self._homes: dict[int, list[tuple[str, list[str]]]] = {}
        self._words: frozenset[str] | bool | None = False

    @property
    def words(self) -> frozenset[str] | None:
        """The names in it, where no glob without one of them covers it; None where that is not sure."""
        if self._words is False:
            sure = not self.opaque and all(root == "/" or root[1:] == ":/" for root, _names in self.names)
            self._words = frozenset(name for _root, names in self.names for name in names) if sure else None
        return self._words  # type: ignore[return-value]

    def judge(self, pattern: str) -> bool | None:
        """Whether ``pattern`` covers the path; None where that cannot be known."""
        glob = _compiled(pattern, self.folds)
        unknown = self.opaque
        for root, names in self.names:
            answer = _judge(glob, root, names, self)
            if answer:
                return True
            unknown = unknown or answer is None
        return None if unknown else False

    def below(self, folder: str, root: str, names: list[str]) -> list[str] | None:
        """The names below ``folder``, or None where ``names`` are not in it."""
        base_root, base = _folder(folder, self.os, self.folds)
        return names[len(base) :] if root == base_root and names[: len(base)] == base else None

    def homes(self, root: str, names: list[str]) -> list[tuple[str, list[str]]]:
        """The homes that ``names``, one of its own, may lie in: whose it is, and the names below it."""
        found = self._homes.get(id(names))
        if found is None:
            found = self._homes[id(names)] = list(_homes_of(names, root, self))
        return found

    def _split(self, path: str) -> tuple[str, list[str]]:
        return split(fold(path) if self.folds else path, self.os)


@remembered(256)
def _folder(path: str, os: str | None, folds: bool) -> tuple[str, list[str]]:
    """Root and names of a home or working folder, which a line of commands asks for again and again."""
    found = normalise(path, os=os)
    return split(fold(found) if folds else found, os)


class _Glob:
    """A compiled pattern: where it starts, and its runs of names between ``**``."""

    __slots__ = ("anchor", "owner", "runs", "word")

    def __init__(self, pattern: str, folds: bool) -> None:
        self.anchor, names = _read(pattern)
        owner = names.pop(0)[1:] if self.anchor == "~" else ""
        #: A name that every path it covers has; None where it has none, or means the working folder.
        fixed = [] if self.anchor == "." else [name for name in names if not ("*" in name or "?" in name)]
        longest = max(fixed, key=len, default=None)
        self.word = fold(longest) if folds and longest is not None else longest
        self.owner = name_glob(owner or "*", folds)
        self.runs: list[Run] = [[]]
        for name in names:
            if name == "**":
                self.runs.append([])
            else:
                self.runs[-1].append(name_glob(name, folds))


@remembered(4096)
def _compiled(pattern: str, folds: bool) -> _Glob:
    return _Glob(pattern, folds)


def word_of(pattern: str, folds: bool) -> str | None:
    """A name that is in every path that ``pattern`` covers, as a subject that ``folds`` has it, if any is."""
    return _compiled(pattern, folds).word


def _read(pattern: str) -> tuple[str, list[str]]:
    """The anchor of a pattern and its names. An anchor is a root of ``split`` in lower case, ``.`` for the
    working folder, or empty for any depth."""
    text = nfc(clean(pattern))
    if reads_as_windows(text, None):
        text = text.replace("\\", "/")
    if text.startswith("./") or text == ".":
        anchor, rest = ".", text[1:]
    elif text.startswith("//"):
        anchor, rest = "\\\\", text
    elif text[1:3] == ":/" and text[0].isalpha():
        anchor, rest = text[:3].lower(), text[3:]
    else:
        anchor, rest = text[:1] if text[:1] in ("/", "~") else "", text
    names = [name for name in rest.split("/") if name not in ("", ".")]
    if rest.endswith("/") and names:
        names.append("**")
    # An empty pattern covers nothing: no name is empty.
    return anchor, names if anchor else ["**", *(names or [""])]


def _judge(glob: _Glob, root: str, names: list[str], subject: Subject) -> bool | None:
    if glob.anchor == "":
        covered = covers(glob.runs, names[1:] if root == "~" else names)
        return covered or (None if root == "" and all(name == ".." for name in names) else False)
    if (root in ("", "~") and ".." in names) or root[1:] == ":":
        return None  # it may lead anywhere
    if glob.anchor == ".":
        return _in_working_folder(glob, root, names, subject)
    if root == "":
        # The working folder is not known. It is taken to be none that a rule is about, unless the path
        # reads as if it were: etc/passwd, .ssh/id_rsa.
        return None if covers(glob.runs, names) else False
    if glob.anchor == "~":
        return _in_home(glob, root, names, subject)
    if root == "~":
        return _in_unknown_home(glob, names, subject)
    if glob.anchor == root.lower() or (glob.anchor == "/" and root[1:] == ":/"):
        return covers(glob.runs, names)
    drive_unknown = root == "/" and glob.anchor[1:] == ":/" and is_windows(subject.os)
    return None if drive_unknown and covers(glob.runs, names) else False


def _in_working_folder(glob: _Glob, root: str, names: list[str], subject: Subject) -> bool | None:
    if subject.cwd is None:
        return covers(glob.runs, names) if root == "" else None
    if root in ("", "~"):
        return None
    below = subject.below(subject.cwd, root, names)
    return below is not None and covers(glob.runs, below)


def _in_home(glob: _Glob, root: str, names: list[str], subject: Subject) -> bool | None:
    if root == "~":
        if not covers(glob.runs, names[1:]):
            return False
        return True if glob.owner(names[0][1:]) else (None if names[0] == "~" else False)
    return any(
        (owner == _CALLERS or glob.owner(owner)) and covers(glob.runs, below)
        for owner, below in subject.homes(root, names)
    )


#: Stands for the owner of the call's own home, whoever that is; no name has a slash.
_CALLERS = "/"


def _homes_of(names: list[str], root: str, subject: Subject) -> Iterator[tuple[str, list[str]]]:
    if subject.home is not None:
        below = subject.below(subject.home, root, names)
        if below is not None:
            yield _CALLERS, below
    if names[:1] and names[0].lower() not in _HOME_TOPS:
        return
    for shape in _HOMES_FOLDED if subject.folds else _HOMES:
        here = names[: len(shape)]
        if len(here) == len(shape) and all(want in ("*", name) for want, name in zip(shape, here)):
            yield here[-1], names[len(shape) :]
            return


def _in_unknown_home(glob: _Glob, names: list[str], subject: Subject) -> bool | None:
    """An absolute pattern and ``~/x``: sure where it covers ``x`` in every place that homes have."""
    owner = names[0][1:] or "*"
    homes = _HOMES_FOLDED if subject.folds else _HOMES
    tries = [[owner if name == "*" else name for name in shape] + names[1:] for shape in homes]
    if all(covers(glob.runs, home) for home in tries):
        return True
    first = glob.runs[0]
    return None if first and any(first[0](shape[0]) for shape in homes) else False
