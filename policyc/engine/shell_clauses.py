"""The operator ``shell`` over a call, and what a command line touches, for the operator ``path``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from policyc.engine.kleene import all_of, any_of
from policyc.engine.model import Call
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


def judge(value: object) -> Judge:
    """``judge(argument, call, match)`` of a command line, or an argument list: None where it cannot be known.
    ``match`` quantifies over the commands of the line."""
    holds_for = compile_shell(value)  # type: ignore[arg-type]

    def holds(argument: object, call: Call, match: str) -> bool | None:
        if not isinstance(argument, (str, list)):
            return False
        return holds_for(facts_of(call, argument), match)

    return holds


def touches(value: object) -> Callable[[Call, object, bool], bool | None]:
    """``touches(call, command, every)``: whether the path globs ``value`` cover a file that ``command``, a
    line of ``call``, reads, writes or deletes, or one of the call's realpaths, which say where links among
    these lead; with ``every``, whether they cover each."""
    covers = PathTest(value, "").covered
    return lambda call, command, every: _touches(
        facts_of(call, command), covers, every, call.realpaths if command is call.command_line else None
    )


def files_of(facts: Facts) -> list[str]:
    """The files that the line touches, as far as they are known; with globs among them."""
    return [file for command in facts.commands for file in _files(command) if file is not None]


def _files(command: SimpleCommand) -> tuple[str | None, ...]:
    effects = command.effects
    return (*effects.reads, *effects.writes, *effects.deletes)


def _touches(facts: Facts, covers: Covers, every: bool, realpaths: list[str] | None) -> bool | None:
    answers: Iterable[bool | None] = (
        _command_touches(command, facts, covers, every) for command in facts.commands
    )
    if realpaths:
        answers = [*answers, *(covers(path, facts, every) for path in realpaths)]
    if every:
        return all_of([*answers, None] if facts.unknown is not None else answers) if facts.commands else False
    found = any_of(answers)
    return None if facts.unknown is not None and found is False else found


def _command_touches(command: SimpleCommand, facts: Facts, covers: Covers, every: bool) -> bool | None:
    answers = [covers(file, facts, every) for file in _files(command)]
    if every:
        return all_of(answers) if answers else False
    return any_of(answers)
