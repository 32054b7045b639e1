"""The operators that look at more of a call than one value: ``shell``, ``path`` and ``host``.

Each is ``judge(argument, call, match)``: True, False, or None where it cannot be known. ``match`` quantifies
over the commands of a line, the files they touch, and the spellings of a path or host.
"""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine import hosts, path_operator
from policyc.engine.kleene import all_of, any_of
from policyc.engine.model import Call
from policyc.engine.path_operator import Surroundings
from policyc.engine.shell import Facts, SimpleCommand, shell_facts
from policyc.engine.shell import compile as compile_shell
from policyc.engine.shell.path_clause import PathTest

Judge = Callable[[object, Call, str], "bool | None"]
#: Whether globs cover one file that a line touches; the flag asks for all it may stand for.
Covers = Callable[["str | None", Facts, bool], "bool | None"]


def facts_of(call: Call, command: object) -> Facts:
    """The facts of the call's command line, derived once for all clauses on it."""
    if call.facts is not None and call.facts[0] is command:
        return call.facts[1]  # type: ignore[return-value]
    found = shell_facts(command, cwd=call.cwd, os=call.os)
    call.facts = (command, found)
    return found


def shell(value: object) -> Judge:
    """Of ``shell``: the argument is a command line, or an argument list."""
    judge = compile_shell(value)  # type: ignore[arg-type]

    def holds(argument: object, call: Call, match: str) -> bool | None:
        if not isinstance(argument, (str, list)):
            return False
        return judge(facts_of(call, argument), match)

    return holds


def path(value: object) -> Judge:
    """Of ``path``: the argument is a path; a shell's command line stands for the files it touches."""
    judge = path_operator.compile(value)
    covers = PathTest(value, "").covered

    def holds(argument: object, call: Call, match: str) -> bool | None:
        every = match == "all"
        if argument is call.command_line:
            return _touches(facts_of(call, argument), covers, every)
        return judge(argument, Surroundings(call.cwd, call.os, call.realpaths), every)

    return holds


def host(value: object) -> Judge:
    """Of ``host``: the argument is a URL, a host or an address."""
    judge = hosts.compile(value)
    return lambda argument, _call, match: judge(argument, match == "all")


def _touches(facts: Facts, covers: Covers, every: bool) -> bool | None:
    answers = (_command_touches(command, facts, covers, every) for command in facts.commands)
    if every:
        return all_of([*answers, None] if facts.unknown is not None else answers) if facts.commands else False
    found = any_of(answers)
    return None if facts.unknown is not None and found is False else found


def _command_touches(command: SimpleCommand, facts: Facts, covers: Covers, every: bool) -> bool | None:
    effects = command.effects
    answers = [covers(file, facts, every) for file in (*effects.reads, *effects.writes, *effects.deletes)]
    if every:
        return all_of(answers) if answers else False
    return any_of(answers)
