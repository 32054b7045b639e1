"""Command lines that a POSIX shell and cmd.exe read the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from policyc.hooks.errors import HooksError

#: The answer in the place of a gate's that did not start.
NO_GATE: Final = '{"decision":"deny","reason":"policyc: the gate did not run"}'
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:=@+-]+")
#: Inside double quotes each of these means something to one of the shells.
_SPECIAL: Final = re.compile(r'["$`%!\\\x00-\x1f]')


def command_line(arguments: Iterable[str]) -> str:
    """``arguments`` as one line. Raises HooksError: an argument that cannot be quoted for both shells."""
    return " ".join(map(_quoted, arguments))


def closed(line: str) -> str:
    """``line`` for a hook of which exit code 2 with a text on stderr denies: whatever ends it otherwise,
    a missing interpreter too, becomes that. For agents that start hooks through a shell."""
    return f"{line} || (echo policyc: this call is denied 1>&2 && exit 2)"


def answered(line: str, document: str) -> str:
    """``line`` for a hook of which only a document denies: a POSIX shell prints ``document`` where the line
    ends with anything but 0."""
    return f"{line} || echo '{document}'"


def forward(path: str) -> str:
    """``path`` with forward slashes: Git Bash takes a backslash out of an unquoted path."""
    return path.replace("\\", "/")


def _quoted(argument: str) -> str:
    if _PLAIN.fullmatch(argument):
        return argument
    if _SPECIAL.search(argument):
        raise HooksError("path_invalid", f"{argument!r} cannot be quoted for every shell")
    return f'"{argument}"'
