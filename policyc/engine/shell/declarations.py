"""Builtins that set variables by name: ``declare`` and its like, ``unset``, ``read``, ``printf -v``."""

from __future__ import annotations

import re
from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.assignments import assign, element, named
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import ENVIRONMENT, UNKNOWN, UNSET, Dynamic, tame
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.tree import Literal, Word

#: Builtins whose arguments may be assignments.
DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
#: Those among them that take a subscript, and make a name local to a function.
_LOCAL = frozenset({"declare", "typeset", "local"})
_ASSIGNS = lazy_pattern(r"[A-Za-z_]\w*(?:\[|\+?=)", re.ASCII)


def assigns(word: Word) -> bool:
    """Whether the word is written as an assignment."""
    first = word.parts[0] if word.parts else None
    return isinstance(first, Literal) and _ASSIGNS.match(first.text) is not None


def _declare(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    flags = [word for word in command.fields[1:] if isinstance(word, str) and word[:1] in ("-", "+")]
    on, off = ("".join(word[1:] for word in flags if word[0] == sign) for sign in "-+")
    if "f" in on or "F" in on:
        return ""
    for word in command.fields[1:]:
        if not isinstance(word, str) or word[:1] not in ("-", "+"):
            _name(shell, command.program or "", word, on, off)
    return ""


def _name(shell: Running, program: str, word: str | Dynamic, on: str, off: str) -> None:
    """One argument of ``declare``."""
    text = word if isinstance(word, str) else word.leading
    left, equals, _ = text.partition("=")
    name, bracket, subscript = left.rstrip("+").partition("[")
    if not isinstance(word, str) and not equals and program in _LOCAL:
        shell.evaluate(word)
        shell.variables.forget()
        return
    _mark(shell, program, name, on, off)
    value = _value(word)
    if bracket and program in _LOCAL:
        element(shell, name, shell.expanded(subscript.rpartition("]")[0]), value)
    elif equals and "n" in on:
        shell.evaluate(value)
        shell.variables.values[name] = value
    elif equals:
        assign(shell, name, _grown(shell, name, value) if left[-1:] == "+" else value)


def _mark(shell: Running, program: str, name: str, on: str, off: str) -> None:
    variables = shell.variables
    if shell.in_function and program in _LOCAL and "g" not in on:
        variables.local(name)
        variables.values[name] = UNSET
    if on:
        variables.attribute(name, on, True)
    if off:
        variables.attribute(name, off, False)
    if program == "export" or "x" in on:
        variables.exported |= {name}


def _value(word: str | Dynamic) -> str | Dynamic:
    """What follows the ``=``."""
    if isinstance(word, str):
        return word.partition("=")[2]
    return Dynamic(word.leading.partition("=")[2], True, word.template.partition("=")[2], word.tame)


def _grown(shell: Running, name: str, value: str | Dynamic) -> str | Dynamic:
    before = shell.variables.get(name)
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    return ENVIRONMENT if tame(before) and tame(value) else UNKNOWN


def _unset(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    for word in command.fields[1:]:
        if not isinstance(word, str):
            shell.evaluate(word)
        elif "[" in word:
            name, _, subscript = word.partition("[")
            element(shell, name, shell.expanded(subscript.rpartition("]")[0]), "")
        elif word[:1] != "-":
            if "-v" not in command.fields:
                shell.variables.functions.pop(word, None)
            if "-f" not in command.fields:
                shell.variables.attributes.pop(word, None)
                shell.variables.set(word, UNSET)
    return ""


def _read(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    names = [*command.arguments.operands] or ["REPLY"]
    text = shell.stdin
    hidden = ENVIRONMENT if isinstance(text, Dynamic) and text.tame else UNKNOWN
    values: list[str | Dynamic] = [hidden] * len(names)
    if isinstance(text, str) and text.count("\n") <= 1 and not command.flags - {"-r"}:
        pieces: list[str | Dynamic] = [*text.strip().split(None, len(names) - 1)]
        values = pieces + [""] * (len(names) - len(pieces))
    for name, value in zip(names, values):
        named(shell, name, value)
    return ""


def _getopts(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    for name in command.arguments.operands[1:2]:
        named(shell, name, ENVIRONMENT)
    shell.variables.set("OPTARG", UNKNOWN)
    return ""


def _mapfile(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``-C code`` runs for the lines it reads, with a number and the line after it."""
    shell.add(command)
    from policyc.engine.shell.scripts import after_flag, run_code, with_arguments

    code = after_flag(command.fields, "C", "--")
    if code is not None:
        run_code(shell, command, "sh", with_arguments(code, 2), None, isolated=False)
    named(shell, command.fields[-1] if len(command.fields) > 1 else "MAPFILE", UNKNOWN)
    return ""


def _printf(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    fields = command.fields
    from policyc.engine.shell.scripts import after_flag

    name = after_flag(fields[:3], "v", "--") if len(fields) > 2 else None
    if name is None:
        return output_of("printf", fields, None)
    form = 3 if fields[1] == "-v" else 2
    named(shell, name, output_of("printf", ["printf", *fields[form:]], None))
    return ""


DECLARATIONS: dict[str, Callable[[Running, SimpleCommand], "str | Dynamic"]] = {
    **dict.fromkeys(DECLARING, _declare),
    "unset": _unset,
    "read": _read,
    "getopts": _getopts,
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    "printf": _printf,
}
