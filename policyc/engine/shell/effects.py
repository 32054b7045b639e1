"""Which files a command reads, writes and deletes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.effects_table import DEVICES, EFFECTS, Paths
from policyc.engine.shell.fields import Dynamic, Glob, Tree
from policyc.engine.shell.options import Arguments
from policyc.engine.shell.variables import Place

_REMOTE = lazy_pattern(r"(?!(?i:file):)(?:[A-Za-z0-9_.@\-]{2,}:(?!//)|[a-z0-9+]+://)")
#: A value that reads like a file name, for programs that are not in the table.
_PATHLIKE = lazy_pattern(r"[.~/]|[^=:]*/|[^=:]*\.[A-Za-z0-9]{1,12}\Z")


class Effects:
    """Paths in normal form; None stands for one that cannot be known."""

    __slots__ = ("deletes", "reads", "writes")

    def __init__(
        self, reads: tuple[str | None, ...], writes: tuple[str | None, ...], deletes: tuple[str | None, ...]
    ) -> None:
        self.reads = reads
        self.writes = writes
        self.deletes = deletes


def effects_of(program: str | None, arguments: Arguments, place: Place) -> Effects:
    """What the table says of a program and its arguments; redirects are not among them."""
    if program is None:
        return Effects((None,), (None,), (None,))
    paths = Paths(program, arguments)
    name = "mkfs" if program.startswith("mkfs.") else program
    entry = EFFECTS.get(name) if name != "git" else None
    (entry or _late(name))(paths)
    return Effects(
        _resolved(place, paths.reads), _resolved(place, paths.writes), _resolved(place, paths.deletes)
    )


def _late(name: str) -> Callable[[Paths], None]:
    """What knows a program that is not among the daily ones."""
    if name == "git":
        from policyc.engine.shell.git_effects import git

        return git
    from policyc.engine.shell.effects_of_interpreters import interpreter
    from policyc.engine.shell.effects_of_tools import tool

    return tool(name) or interpreter(name) or _guess


def _guess(paths: Paths) -> None:
    """A program that is not in the table may read any file it names."""
    for operand in paths.operands:
        if isinstance(operand, str):
            paths.reads.append(operand)
            if "=" in operand:
                paths.reads.append(operand.partition("=")[2])
    for _names, value in paths.arguments.values:
        if isinstance(value, str) and _PATHLIKE.match(value):
            paths.reads.append(value.lstrip("@"))


def _resolved(place: Place, fields: Iterable[str | Dynamic | None]) -> tuple[str | None, ...]:
    found: dict[str | None, None] = {}
    for field in fields:
        if not isinstance(field, str):
            found[None] = None
        elif field in DEVICES or field == "" or _REMOTE.match(field):
            continue
        else:
            path = place.resolve(field)
            whole = isinstance(field, Tree) and path is not None and not isinstance(path, Glob)
            found[Tree(path) if whole else path] = None
    return tuple(found)
