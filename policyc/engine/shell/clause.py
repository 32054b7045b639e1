"""The clause operator ``shell``: all keys of its value hold for one simple command.

Answers are True, False or None (not known), joined as Kleene's logic does.
"""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.alternatives import alternatives, listed
from policyc.engine.globs import matcher as glob_matcher
from policyc.engine.globs import matches as glob_matches
from policyc.engine.kleene import all_of, any_of, negated
from policyc.engine.operators import kind
from policyc.engine.regex import compile_regex
from policyc.engine.shell.authoring import (
    needs_args,
    needs_flags,
    needs_globs,
    needs_reasons,
    needs_regexes,
    needs_texts,
)
from policyc.engine.shell.facts import Facts, SimpleCommand
from policyc.engine.shell.fields import Glob, constant
from policyc.engine.shell.overlap import may_overlap
from policyc.engine.shell.path_clause import PathTest

#: A test of one command; the flag asks whether all of its paths have to hold, as a rule that allows needs it.
Test = Callable[[SimpleCommand, Facts, bool], "bool | None"]
Predicate = Callable[[Facts, str], "bool | None"]


def matches(value: dict[str, object], facts: Facts, match: str = "any") -> bool | None:
    """Whether the clause holds: for any of the line's commands, or for all. ``value`` must pass ``check``."""
    return compile(value)(facts, match)


def compile(value: dict[str, object]) -> Predicate:
    """``predicate(facts, match)``, with patterns prepared."""
    tests = [KEYS[key].compile(expected) for key, expected in value.items()]

    def predicate(facts: Facts, match: str = "any") -> bool | None:
        every = match == "all"
        answers = [_holds(tests, command, facts, every) for command in facts.commands]
        if facts.unknown is not None:
            answers.append(None)  # there may be more
        if not every:
            return any_of(answers)
        return all_of(answers) if answers else False  # nothing runs: an allow has nothing to hold for

    return predicate


def _holds(tests: list[Test], command: SimpleCommand, facts: Facts, every: bool) -> bool | None:
    """Whether all keys hold for one command."""
    found: bool | None = True
    for test in tests:
        answer = test(command, facts, every)
        if answer is False:
            return False
        if answer is None:
            found = None
    return found


def check(value: object) -> str | None:
    """What is wrong with an authored value, or None."""
    if not isinstance(value, dict):
        return f"needs an object with keys of {', '.join(KEYS)}, not {kind(value)}"
    if not value:
        return f"needs at least one key: {', '.join(KEYS)}"
    for key, expected in value.items():
        entry = KEYS.get(key)
        if entry is None:
            return f"{key!r} is not a key; keys are {', '.join(KEYS)}"
        problem = entry.check(expected)
        if problem is not None:
            return f"{key}: {problem}"
    return None


class Texts:
    """Alternatives: globs with ``*``; one that starts with ``!`` takes away."""

    __slots__ = ("unwanted", "wanted")

    def __init__(self, value: object) -> None:
        wanted, unwanted = alternatives(value)
        self.wanted = _Patterns(wanted)
        self.unwanted = _Patterns(unwanted) if unwanted else None

    def covers(self, text: str | None) -> bool | None:
        """Whether a text (None: not known) is one of them."""
        if text is None:
            return None
        wanted = self.wanted.cover(text)
        if self.unwanted is None or wanted is False:
            return wanted
        return all_of((wanted, negated(self.unwanted.cover(text))))


class _Patterns:
    """Names as they are, and globs: most alternatives are names, and a name is one look-up."""

    __slots__ = ("all", "globs", "literals")

    def __init__(self, patterns: list[str]) -> None:
        self.all = patterns
        self.literals = frozenset(pattern for pattern in patterns if pattern and "*" not in pattern)
        self.globs = [glob_matcher(pattern) for pattern in patterns if pattern not in self.literals]

    def cover(self, text: str) -> bool | None:
        if text in self.literals:
            return True
        for covers in self.globs:
            if covers(text):
                return True
        if isinstance(text, Glob) and any(may_overlap(pattern, text) for pattern in self.all):
            return None
        return False


# Tests ----------------------------------------------------------------------------------------------


def _program(value: object) -> Test:
    texts = Texts(value)
    return lambda command, _facts, _every: texts.covers(command.program)


def _args(value: object) -> Test:
    positions = [Texts(item) for item in (value.split() if isinstance(value, str) else value)]  # type: ignore[attr-defined]

    def test(command: SimpleCommand, _facts: Facts, _every: bool) -> bool | None:
        args = command.args
        for at, texts in enumerate(positions):
            if at >= len(args):
                return None if command.program is None else False
            answer = texts.covers(args[at])
            if answer is not True:
                return None if command.program is None else answer
        return True

    return test


def _flag(pattern: str) -> Callable[[SimpleCommand], "bool | None"]:
    name, _, value = pattern.partition("=")
    values = Texts(value) if value else None

    def test(command: SimpleCommand) -> bool | None:
        arguments = command.arguments
        flags = arguments.flags
        if pattern in flags or ("*" in pattern and any(glob_matches(pattern, flag) for flag in flags)):
            return True
        if values is not None:
            given = any_of(values.covers(constant(one)) for one in arguments.value_of(name))
            if given is not False:
                return given
        return None if arguments.more_flags or command.program is None else False

    return test


def _any_flag(value: object) -> Test:
    tests = [_flag(str(item)) for item in listed(value)]
    return lambda command, _facts, _every: any_of(test(command) for test in tests)


def _all_flags(value: object) -> Test:
    tests = [_flag(str(item)) for item in listed(value)]
    return lambda command, _facts, _every: all_of(test(command) for test in tests)


def _no_flag(value: object) -> Test:
    """An exemption has to be certain: a rule that stops holds unless the flag is surely there, and one that
    allows holds only where it surely is not."""
    patterns = [str(item) for item in listed(value)]
    given = _any_flag(value)
    exempts = [_exempts(pattern) for pattern in patterns]
    undone = {"--no-" + pattern.partition("=")[0][2:] for pattern in patterns if pattern[:2] == "--"}

    def test(command: SimpleCommand, facts: Facts, every: bool) -> bool | None:
        if every:
            return negated(given(command, facts, every))
        return not undone.isdisjoint(command.arguments.flags) or not any(test(command) for test in exempts)

    return test


def _exempts(pattern: str) -> Callable[[SimpleCommand], bool]:
    """Whether the flag is there for certain: with that value each time, or each time with none, for
    ``--dry-run=none`` is no dry run."""
    name, equals, value = pattern.partition("=")
    values = Texts(value) if value else None

    def test(command: SimpleCommand) -> bool:
        given = command.arguments.value_of(name)
        if values is not None:
            return bool(given) and all(values.covers(constant(one)) is True for one in given)
        return not equals and not given and name in command.arguments.flags

    return test


def _operand(value: object) -> Test:
    texts = Texts(value)

    def test(command: SimpleCommand, _facts: Facts, _every: bool) -> bool | None:
        found = any_of(texts.covers(operand) for operand in command.operands)
        return None if found is False and command.program is None else found

    return test


def _pipes_to(value: object) -> Test:
    texts = Texts(value)
    return lambda command, _facts, _every: any_of(texts.covers(program) for program in command.pipes_to)


def _code(value: object) -> Test:
    searches = [compile_regex(str(item)).search for item in listed(value)]

    def test(command: SimpleCommand, _facts: Facts, _every: bool) -> bool | None:
        if any(search(text) for search in searches for _language, text in command.code):
            return True
        return None if command.code_unknown or command.program is None else False

    return test


def _dynamic(value: object) -> Test:
    if isinstance(value, bool):
        return lambda command, _facts, _every: bool(command.dynamic) is value
    reasons = frozenset(listed(value))
    return lambda command, _facts, _every: not reasons.isdisjoint(command.dynamic)


class Key:
    """``check(value)`` says what is wrong with a key's value; ``compile(value)`` is its test."""

    __slots__ = ("check", "compile")

    def __init__(self, check: Callable[[object], str | None], compile: Callable[[object], Test]) -> None:
        self.check = check
        self.compile = compile


KEYS: dict[str, Key] = {
    "program": Key(needs_texts, _program),
    "args": Key(needs_args, _args),
    "all_flags": Key(needs_flags, _all_flags),
    "any_flag": Key(needs_flags, _any_flag),
    "no_flag": Key(needs_flags, _no_flag),
    "operand": Key(needs_texts, _operand),
    "deletes": Key(needs_globs, lambda value: PathTest(value, "deletes").test),
    "writes": Key(needs_globs, lambda value: PathTest(value, "writes").test),
    "reads": Key(needs_globs, lambda value: PathTest(value, "reads").test),
    "pipes_to": Key(needs_texts, _pipes_to),
    "code": Key(needs_regexes, _code),
    "dynamic": Key(needs_reasons, _dynamic),
}
