"""RE2's syntax (https://github.com/google/re2/wiki/Syntax) to a tree.

It takes and refuses what RE2 does, in RE2's words. Case folds and ``\\p`` beyond ASCII need tables that the
engine does not carry; the compiler writes such patterns out.
"""

from __future__ import annotations

from policyc.engine.regex_characters import Characters, Flags
from policyc.engine.regex_errors import LONE_SURROGATE, ONE_BYTE, RegexError
from policyc.engine.regex_nodes import (
    AT_WORD,
    BEGIN_LINE,
    BEGIN_TEXT,
    END_LINE,
    END_TEXT,
    NOT_AT_WORD,
    Chars,
    Choice,
    Node,
    Place,
    Repeat,
    Sequence,
)
from policyc.engine.regex_ranges import ANY, NOT_NEWLINE, Ranges, ascii_cases, merged

#: What counted repeats, multiplied through, may come to; RE2's bound.
MAX_REPEAT = 1000

_PLACES = {"A": BEGIN_TEXT, "z": END_TEXT, "b": AT_WORD, "B": NOT_AT_WORD}
_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_NOTHING = Place(0)
#: The ASCII characters as literals, as they are and in every case.
PLAIN = [Chars(((code, code),)) for code in range(128)]
FOLDED = [Chars(merged([(code, code), *ascii_cases(code, code)])) for code in range(128)]


class _Scope:
    """An open group: what comes before it, and the flags to go back to."""

    __slots__ = ("branch", "branches", "flags")

    def __init__(self, branch: list[Node], branches: list[Node], flags: Flags) -> None:
        self.branch = branch
        self.branches = branches
        self.flags = flags


class Parser(Characters):
    """One pattern being read."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        #: In ``\\Q...\\E``.
        self.quoting = False
        self._branch: list[Node] = []
        self._branches: list[Node] = []
        self._open: list[_Scope] = []
        #: Where the repetition operator starts that was read last, if nothing came after it.
        self._operator: int | None = None

    def parse(self) -> Node:
        """The tree of the pattern. Raises RegexError."""
        source = self.source
        if not source.isascii() and any("\ud800" <= char <= "\udfff" for char in source):
            raise RegexError(LONE_SURROGATE)
        length = len(source)
        while self.at < length:
            char = source[self.at]
            handle = _HANDLERS.get(char)
            if handle is not None:
                started = self._operator
                handle(self)
                # Only a repetition leaves an operator behind.
                self._operator = None if self._operator == started else self._operator
            else:
                self._operator = None
                self._literal(self.at, self.at + 1, ord(char))
        if self._open:
            raise self.error("missing )", source)
        return _alternate([*self._branches, _concat(self._branch)])

    def take(self, start: int, ranges: Ranges) -> None:  # noqa: ARG002
        """One character out of ``ranges``, as written from ``start`` on."""
        self._branch.append(Chars(ranges))

    # Characters and places --------------------------------------------------------------------------

    def _literal(self, start: int, end: int, code: int) -> None:
        self.at = end
        known = FOLDED if "i" in self.flags else PLAIN
        if code < 128:
            self._branch.append(known[code])
        else:
            ranges = ((code, code),)
            self.take(start, self.folded(ranges) if known is FOLDED else ranges)

    def _dot(self) -> None:
        self.at += 1
        self.take(self.at - 1, ANY if "s" in self.flags else NOT_NEWLINE)

    def _class(self) -> None:
        start = self.at
        self.take(start, self.char_class())

    def _begin(self) -> None:
        self._place(1, BEGIN_LINE if "m" in self.flags else BEGIN_TEXT)

    def _end(self) -> None:
        self._place(1, END_LINE if "m" in self.flags else END_TEXT)

    def _place(self, length: int, condition: int) -> None:
        self.at += length
        self._branch.append(Place(condition))

    def _backslash(self) -> None:
        start = self.at
        char = self.source[start + 1 : start + 2]
        if char in _PLACES:
            self._place(2, _PLACES[char])
        elif char == "Q":
            self._quotation()
        elif char == "C":
            raise RegexError(ONE_BYTE)
        else:
            ranges = self.named_set()
            if ranges is None:
                code = self.escape()
                self._literal(start, self.at, code)
            else:
                self.take(start, ranges)

    def _quotation(self) -> None:
        self.at += 2
        self.quoting = True
        while self.at < len(self.source):
            if self.source.startswith("\\E", self.at):
                self.at += 2
                break
            self._literal(self.at, self.at + 1, ord(self.source[self.at]))
        self.quoting = False

    # Repetition -------------------------------------------------------------------------------------

    def _repetition(self) -> None:
        least, most = _REPEATS[self.source[self.at]]
        self._repeat(self.at + 1, least, most, False)

    def _counted(self) -> None:
        bounds = self._bounds()
        if bounds is None:
            self._literal(self.at, self.at + 1, ord("{"))
            self._operator = None
        else:
            self._repeat(*bounds, True)

    def _bounds(self) -> tuple[int, int, int | None] | None:
        """End, least and most of the ``{n,m}`` here; None if it is no such thing, and so a literal."""
        end = self.source.find("}", self.at)
        least, comma, most = self.source[self.at + 1 : max(end, 0)].partition(",")
        if not _is_count(least) or (most and not _is_count(most)):
            return None
        high = int(most) if most else None if comma else int(least)
        return end + 1, int(least), high

    def _repeat(self, end: int, least: int, most: int | None, counted: bool) -> None:
        source, start = self.source, self.at
        greedy = "U" not in self.flags
        if source.startswith("?", end):
            greedy, end = not greedy, end + 1
        if self._operator is not None:
            raise self.error("bad repetition operator", source[self._operator : end])
        shown = source[start:end]
        if least > MAX_REPEAT or (most is not None and (most > MAX_REPEAT or most < least)):
            raise self.error("invalid repetition size", shown)
        if not self._branch:
            raise self.error("no argument for repetition operator", shown)
        child = self._branch[-1]
        if counted and child.repeats * (least if most is None else most) > MAX_REPEAT:
            raise self.error("invalid repetition size", shown)
        self._branch[-1] = Repeat(child, least, most, greedy=greedy, counted=counted)
        self.at, self._operator = end, start

    # Groups -----------------------------------------------------------------------------------------

    def _bar(self) -> None:
        self.at += 1
        self._branches.append(_concat(self._branch))
        self._branch = []

    def _left(self) -> None:
        if self.source.startswith("(?", self.at):
            self._left_with_flags()
        else:
            self.at += 1
            self._enter(self.flags)

    def _enter(self, flags: Flags) -> None:
        self._open.append(_Scope(self._branch, self._branches, self.flags))
        self._branch, self._branches, self.flags = [], [], flags

    def _right(self) -> None:
        if not self._open:
            raise self.error("unexpected )", self.source)
        self.at += 1
        node = _alternate([*self._branches, _concat(self._branch)])
        scope = self._open.pop()
        self._branch, self._branches, self.flags = scope.branch, scope.branches, scope.flags
        self._branch.append(node)

    def _left_with_flags(self) -> None:
        source, start = self.source, self.at
        left = len(source) - start
        if (left > 3 and source[start + 2] in "=!") or (
            left > 4 and source[start + 2] == "<" and source[start + 3] in "=!"
        ):
            end = start + (4 if source[start + 2] == "<" else 3)
            raise self.error("invalid perl operator", source[start:end])
        if left > 4 and source.startswith("P<", start + 2):
            self._named_group(start, start + 4)
        elif left > 3 and source[start + 2] == "<":
            self._named_group(start, start + 3)
        else:
            self._flag_list(start)

    def _named_group(self, start: int, first: int) -> None:
        end = self.source.find(">", start)
        if end < 0:
            raise self.error("invalid named capture group", self.source[start:])
        name = self.source[first:end]
        if not name or not all(
            char.isalnum() or char == "_" if char.isascii() else self.is_name(char) for char in name
        ):
            raise self.error("invalid named capture group", self.source[start : end + 1])
        self.at = end + 1
        self._enter(self.flags)

    def _flag_list(self, start: int) -> None:
        source = self.source
        flags, negative, seen = set(self.flags), False, False
        self.at += 2
        while self.at < len(source):
            char = source[self.at]
            self.at += 1
            if char in "imsU":
                seen = True
                (flags.discard if negative else flags.add)(char)
            elif char == "-" and not negative:
                negative, seen = True, False
            elif char in ":)" and (seen or not negative):
                if char == ":":
                    self._enter(frozenset(flags))
                else:
                    self.flags = frozenset(flags)
                return
            else:
                break
        raise self.error("invalid perl operator", source[start : self.at])


_HANDLERS = {
    "(": Parser._left,
    "|": Parser._bar,
    ")": Parser._right,
    "^": Parser._begin,
    "$": Parser._end,
    ".": Parser._dot,
    "[": Parser._class,
    "*": Parser._repetition,
    "+": Parser._repetition,
    "?": Parser._repetition,
    "{": Parser._counted,
    "\\": Parser._backslash,
}


def parse(source: str) -> Node:
    """The tree of ``source``. Raises RegexError for what RE2 refuses, and for what needs Unicode tables."""
    return Parser(source).parse()


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _concat(nodes: list[Node]) -> Node:
    if not nodes:
        return _NOTHING
    return nodes[0] if len(nodes) == 1 else Sequence(nodes)


def _alternate(nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Choice(nodes)
