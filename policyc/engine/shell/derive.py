"""From a command line, or an argument list, to its facts: never raises, in time linear in its length."""

from __future__ import annotations

from policyc.engine.shell.dialects import NAMES, dialect_of_text
from policyc.engine.shell.facts import Facts
from policyc.engine.shell.running import Shell
from policyc.engine.shell.scanner import Unparsable
from policyc.engine.shell.variables import Place, Variables
from policyc.engine.text import clean

#: Characters of a line, or of all words of an argument list.
MAX_SIZE = 1 << 16


def shell_facts(command: object, *, cwd: str | None, home: str | None = None, os: str | None = None) -> Facts:
    """The facts of ``command``: a line for the shell, or an argument list, which is taken as it is.

    ``cwd`` is the folder it runs in, ``home`` the user's; without them paths stay relative, or in ``~``.
    """
    place = Place(cwd or "", home, os)
    if isinstance(command, str):
        size, text = len(command), command
    elif isinstance(command, (list, tuple)) and all(isinstance(word, str) for word in command):
        size, text = sum(len(word) + 1 for word in command), ""
    else:
        return Facts((), "the command is neither a text nor a list of texts", "posix", place)
    if size > MAX_SIZE:
        return Facts((), f"the command is longer than {MAX_SIZE} characters", "posix", place)
    shell = Shell(Variables(cwd, home, os))
    unknown: str | None = None
    try:
        if isinstance(command, str):
            shell.line(_plain(command))
        elif command:
            shell.dispatch([clean(word) for word in command])
    except Unparsable as error:
        unknown = str(error)
    except RecursionError:
        unknown = "nested too deep"
    dialect = shell.foreign or (dialect_of_text(text) if unknown is not None else None)
    if dialect is not None:
        unknown = f"it is written for {NAMES[dialect]}, which is not parsed"
    return Facts(tuple(shell.commands), unknown, dialect or "posix", place)


def _plain(text: str) -> str:
    text = clean(text)
    # bash drops NUL; agents on Windows send \r\n, which is a line end there.
    return text.replace("\0", "").replace("\r\n", "\n") if "\0" in text or "\r" in text else text
