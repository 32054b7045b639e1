"""ls: what it prints are names of files."""

from __future__ import annotations

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic, Glob, Listing, Tree
from policyc.engine.shell.running_api import Running


def _ls(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    operands = command.arguments.operands
    if not operands:
        return Listing([Glob("*")])
    return Listing([Tree(operands[0])]) if len(operands) == 1 and isinstance(operands[0], str) else UNKNOWN


PROGRAMS = {"ls": _ls}
