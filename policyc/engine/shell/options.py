"""Argument lists by getopt's rules: which words are flags, which are a flag's value, which are operands.

``-rf`` is ``-r`` and ``-f``, and each flag stands for all its spellings in ``options_table.py``.
"""

from __future__ import annotations

from policyc.engine.shell.fields import HOLE, Dynamic
from policyc.engine.shell.options_table import LONG_DASH, options_of

_ONE_LETTER: dict[str, frozenset[str]] = {}


class Option:
    """``names`` are all spellings, with their dashes. A word in ``optional`` that follows is its value;
    ``two``: a second value comes after the first."""

    __slots__ = ("names", "optional", "takes_next", "takes_value", "two")

    def __init__(self, names: frozenset[str], takes_value: bool, optional: frozenset[str], two: bool) -> None:
        self.two = two
        self.names = names
        self.takes_value = takes_value
        self.optional = optional
        self.takes_next = takes_value or bool(optional)


class Arguments:
    """``words`` as they stood, ``flags`` in all spellings, ``values`` of flags, ``operands``; ``separator``
    is how many operands stand before ``--``, or None; ``more_flags``: a word that is not known may be a flag;
    ``hidden_flag``: one is a flag of the program where what is not known of it is empty (``$x-rf``,
    ``--fo${x}rce``)."""

    __slots__ = ("flags", "hidden_flag", "more_flags", "operands", "separator", "values", "words")

    def __init__(self, words: list[str | Dynamic]) -> None:
        self.words = words
        self.flags: set[str] = set()
        self.values: list[tuple[frozenset[str], str | Dynamic]] = []
        self.operands: list[str | Dynamic] = []
        self.separator: int | None = None
        self.more_flags = False
        self.hidden_flag = False

    def value_of(self, *names: str) -> list[str | Dynamic]:
        """The values given to any of these flags."""
        return [value for spellings, value in self.values if not spellings.isdisjoint(names)]

    def has(self, *names: str) -> bool:
        return not self.flags.isdisjoint(names)


_TABLES: dict[str, dict[str, Option]] = {}


def table(program: str) -> dict[str, Option]:
    """The options of a program, by spelling."""
    found = _TABLES.get(program)
    if found is None:
        found = {}
        written = options_of(program)
        for entry in (written or "").split():
            option = _option(entry)
            for name in option.names:
                found[name] = option
        if written is not None:
            _TABLES[program] = found
    return found


def _option(entry: str) -> Option:
    spellings, _, optional = entry.partition("?")
    names = spellings.rstrip(":").split("|")
    return Option(
        frozenset(
            name if name[0] == "-" else "-" + name if len(name) == 1 else "--" + name for name in names
        ),
        entry.endswith(":"),
        frozenset(optional.split(",")) if optional else frozenset(),
        entry.endswith("::"),
    )


def parse(program: str, words: list[str | Dynamic]) -> Arguments:
    """``words`` are those after the program."""
    found = Arguments(words)
    known = table(program)
    single_dash = program in LONG_DASH
    waiting: Option | None = None
    second = False
    for at, word in enumerate(words):
        if second:
            second = False
            continue
        if waiting is not None:
            option, waiting = waiting, None
            if option.takes_value or word in option.optional:
                found.values.append((option.names, word))
                second = option.two
                continue
        if isinstance(word, Dynamic):
            found.more_flags = found.more_flags or word.may_be_flag
            found.hidden_flag = found.hidden_flag or _hides_flag(word, known, single_dash)
            found.operands.append(word)
        elif word[:1] != "-" or word == "-":
            found.operands.append(word)
            if len(found.operands) <= 2:
                known = _of_subcommand(program, found.operands, known)
        elif word == "--":
            if program == "git" and not found.operands:
                continue
            found.separator = len(found.operands)
            found.operands += words[at + 1 :]
            break
        elif word[1] == "-" or single_dash:
            waiting = _long(word, known, found)
        else:
            waiting = _cluster(word, known, found)
    return found


def _hides_flag(word: Dynamic, known: dict[str, Option], single_dash: bool) -> bool:
    """Whether the word is a flag without what is hidden in front of the text, or amid it."""
    text = word.template.replace(HOLE, "")
    if len(text) < 2 or text[0] != "-" or word.template.endswith(HOLE):
        return False
    name = text.partition("=")[0]
    if text[1] == "-" or single_dash:
        return len(name) > 2 and any(spelling.startswith(name) for spelling in known)
    return all("-" + letter in known for letter in text[1:])


def _of_subcommand(
    program: str, operands: list[str | Dynamic], known: dict[str, Option]
) -> dict[str, Option]:
    name = " ".join([program, *[word for word in operands if isinstance(word, str)]])
    return {**known, **table(name)} if options_of(name) is not None else known


def _long(word: str, known: dict[str, Option], found: Arguments) -> Option | None:
    name, equals, value = word.partition("=")
    found.flags.add(name)
    if equals:
        found.flags.add(word)
    option = known.get(name)
    if option is None:
        # getopt_long takes any prefix that is not ambiguous.
        for spelling, candidate in known.items():
            if spelling.startswith(name) and len(name) > 2 and name[1] == "-":
                option = candidate
                found.flags |= option.names
        if option is None:
            if equals:
                found.values.append((frozenset((name,)), value))
            return None
    found.flags |= option.names
    if equals:
        found.values.append((option.names, value))
        return None
    return option if option.takes_next else None


def _cluster(word: str, known: dict[str, Option], found: Arguments) -> Option | None:
    found.flags.add(word)
    option = known.get(word)
    if option is not None:
        found.flags |= option.names
        return option if option.takes_next else None
    for at in range(1, len(word)):
        letter = "-" + word[at]
        option = known.get(letter)
        if option is not None:
            found.flags |= option.names
            if option.takes_value:
                if at + 1 < len(word):
                    found.values.append((option.names, word[at + 1 :]))
                    return None
                return option
            if option.optional and at + 1 == len(word):
                return option
        elif word[at].isalnum():
            found.flags.add(letter)
        else:
            break
    return None
