"""Which rules a command line may be about: most clauses of the operator ``shell`` name a program and a word
that a line must have, so the line's own programs and words find them.

An index is JSON data, so that a plan can carry it: program -> key of the clause -> word -> rule numbers.
"""

from __future__ import annotations

from policyc.engine.alternatives import alternatives
from policyc.engine.model import Clause
from policyc.engine.paths import is_singular

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable, Iterable

    from policyc.engine.shell.facts import Facts, SimpleCommand

    Numbers = dict[str, list[int]]
    Index = dict[str, dict[str, Numbers]]

#: Stands for the program of clauses about more than the programs they name, and for a word of those that
#: only need something to be there.
ANY = "*"


def add(index: Index, clauses: Iterable[Clause], number: int) -> bool:
    """Enters rule ``number`` by that one of its ``clauses`` that finds it least often; False where none is
    false for the lack of a word."""
    entries = [_entry(clause.value) for clause in clauses if is_gate(clause)]  # type: ignore[arg-type]
    if not entries:
        return False
    programs, key, words = min(entries, key=lambda entry: (ANY in entry[0], list(_BEARS).index(entry[1])))
    for program in programs:
        numbers = index.setdefault(program, {}).setdefault(key, {})
        for word in words:
            numbers.setdefault(word, []).append(number)
    return True


def is_gate(clause: Clause) -> bool:
    """Whether the clause is certainly false where no command of the line may hold it."""
    return (
        clause.op == "shell"
        and isinstance(clause.value, dict)
        and clause.match == "any"
        and not clause.negated
        and not clause.on_missing
        and is_singular(clause.steps)
    )


def lookup(index: Index, facts: Facts) -> set[int]:
    """The rules whose clause is not certainly false for the line."""
    found: set[int] = set()
    if facts.unknown is not None or facts.programs is None:
        for keys in index.values():
            for numbers in keys.values():
                _add_all(numbers, found)
        return found
    of_any = index.get(ANY)
    for command in facts.commands:
        for keys_of in (index.get(command.program), of_any):  # type: ignore[arg-type]
            if keys_of is not None:
                for key, numbers in keys_of.items():
                    _BEARS[key](command, numbers, found)
    return found


def _entry(value: dict[str, object]) -> tuple[list[str], str, list[str]]:
    programs = _names(value["program"]) if "program" in value else None
    key, words = next(
        ((key, found) for key in _BEARS for found in [_words(value, key)] if found), ("", [ANY])
    )
    return programs or [ANY], key, words


def _words(value: dict[str, object], key: str) -> list[str] | None:
    """The words of which a command needs one to hold ``key``, None where it names none."""
    if key not in value:
        return None
    asked = value[key]
    if key not in _NAMING:
        return [ANY] if asked is not False else None
    if key == "args":
        asked = asked.split() if isinstance(asked, str) else asked
    if key in ("args", "all_flags"):
        asked = asked[0] if isinstance(asked, list) and asked else asked
    found = _names(asked)
    # A flag with a value is found by its value: `--request=DELETE` is `-X DELETE` too.
    return None if found and key != "operand" and any("=" in name for name in found) else found


def _names(value: object) -> list[str] | None:
    """The alternatives that ``value`` names, None where there is a pattern among them."""
    wanted, _unwanted = alternatives(value)
    return None if any(not name or "*" in name for name in wanted) else wanted


def _add_all(numbers: Numbers, found: set[int]) -> None:
    for some in numbers.values():
        found.update(some)


# What a command bears ---------------------------------------------------------------------------------


def _bears_argument(command: SimpleCommand, numbers: Numbers, found: set[int]) -> None:
    arguments = command.arguments
    if arguments.operands and arguments.separator != 0:
        _bears_text(arguments.operands[0], numbers, found)


def _bears_operand(command: SimpleCommand, numbers: Numbers, found: set[int]) -> None:
    for operand in command.arguments.operands:
        _bears_text(operand, numbers, found)


def _bears_text(text: object, numbers: Numbers, found: set[int]) -> None:
    if type(text) is not str:  # not known, or a glob, or more than its text
        _add_all(numbers, found)
    elif text in numbers:
        found.update(numbers[text])


def _bears_flag(command: SimpleCommand, numbers: Numbers, found: set[int]) -> None:
    arguments = command.arguments
    if arguments.more_flags:
        _add_all(numbers, found)
        return
    for flag in arguments.flags:
        if flag in numbers:
            found.update(numbers[flag])


def _where(holds: Callable[[SimpleCommand], object]) -> Callable[[SimpleCommand, Numbers, set[int]], None]:
    return lambda command, numbers, found: _add_all(numbers, found) if holds(command) else None


#: Keys whose value names words.
_NAMING = ("args", "all_flags", "any_flag", "operand")
#: By key of the clause, the one that finds a rule least often first; an empty one for what names no word.
_BEARS: dict[str, Callable[[SimpleCommand, Numbers, set[int]], None]] = {
    "args": _bears_argument,
    "all_flags": _bears_flag,
    "any_flag": _bears_flag,
    "operand": _bears_operand,
    "code": _where(lambda command: command.code or command.code_unknown),
    "pipes_to": _where(lambda command: command.pipes_to),
    "deletes": _where(lambda command: command.effects.deletes),
    "writes": _where(lambda command: command.effects.writes),
    "reads": _where(lambda command: command.effects.reads),
    "dynamic": _where(lambda command: command.dynamic),
    "": lambda _command, numbers, found: _add_all(numbers, found),
}
