"""Editors and pagers that run commands: vim, vi, ex, ed, less; the commands are of the language ``ex``."""

from __future__ import annotations

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic
from policyc.engine.shell.interpreters import Language
from policyc.engine.shell.options import parse
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import look_into, run_code

_EX = Language("ex", "-c --cmd")


def run_editor(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``vim -c ':!cmd'``, ``vi +!cmd``, ``ex -s`` and ``ed`` with commands on the input."""
    shell.add(command)
    typed = [word for word in command.fields[1:] if isinstance(word, str) and word[:1] == "+" and word[1:]]
    command.arguments = parse(
        command.program or "", [word for word in command.fields[1:] if word not in typed]
    )
    codes: list[str | Dynamic] = [word[1:] for word in typed]
    codes += command.arguments.value_of("-c", "--cmd")
    if shell.stdin is not None and (command.program in ("ed", "ex") or command.arguments.has("-s", "-es")):
        codes.append(shell.stdin)
    for code in codes:
        command.code_unknown = command.code_unknown or isinstance(code, Dynamic)
        look_into(shell, command, _EX, code if isinstance(code, str) else code.template)
    return UNKNOWN


def run_less(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``less +!cmd``"""
    shell.add(command)
    typed = [word for word in command.fields[1:] if isinstance(word, str) and word[:1] == "+"]
    command.arguments = parse("less", [word for word in command.fields[1:] if word not in typed])
    for word in typed:
        if "!" in word:
            run_code(shell, command, "sh", word.partition("!")[2], None)
    return UNKNOWN
