"""A pattern's tree as a nondeterministic automaton over classes of code points.

The nodes of the automaton are numbers; 0 is the match. Code points that no range of the pattern tells
apart are one class, so that a step looks at a small number instead of at ranges.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

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
)
from policyc.engine.regex_ranges import WORD, Ranges

MATCH = 0

#: What stands on one side of a place: nothing (an end of the text), a newline, a word character, another.
NOTHING, NEWLINE, WORD_CHARACTER, OTHER = range(4)
_NEWLINE = ((10, 10),)


def _conditions(before: int, after: int) -> int:
    found = AT_WORD if (before == WORD_CHARACTER) is not (after == WORD_CHARACTER) else NOT_AT_WORD
    if before in (NOTHING, NEWLINE):
        found |= BEGIN_LINE | (BEGIN_TEXT if before == NOTHING else 0)
    if after in (NOTHING, NEWLINE):
        found |= END_LINE | (END_TEXT if after == NOTHING else 0)
    return found


#: The conditions that hold of a place, by what stands before and after it.
CONDITIONS = tuple(tuple(_conditions(before, after) for after in range(4)) for before in range(4))


class Program:
    """``start``, and per node either ``sets`` (the classes of which it takes a character; None: it takes
    nothing) with one successor, or ``needs`` (a condition on the place, 0: none) with any number of
    successors, the preferred one last."""

    __slots__ = ("anchored", "edges", "inside", "kinds", "needs", "sets", "start", "successors", "used")

    def __init__(self, tree: Node) -> None:
        steps = _Steps()
        self.start = steps.emit(tree, MATCH)
        self.needs = steps.needs
        self.successors = steps.successors
        #: Every condition that the program asks for.
        self.used = 0
        for condition in steps.needs:
            self.used |= condition
        self._classify(steps.ranges)
        #: Whether a match can only begin where the text does.
        self.anchored = bool(self.used & BEGIN_TEXT) and not self.closure([self.start], ~BEGIN_TEXT)
        #: Whether RE2 finds an empty match between the bytes of one character, as it does for ``\\B``.
        self.inside = bool(self.used & NOT_AT_WORD) and MATCH in self.closure([self.start], NOT_AT_WORD)

    def class_of(self, char: str) -> int:
        """The class of a character."""
        return bisect_right(self.edges, ord(char))

    def before_text(self) -> int:
        """What stands before the first character."""
        return NOTHING if self.used else OTHER

    def closure(self, nodes: Iterable[int], conditions: int, seen: set[int] | None = None) -> list[int]:
        """The taking nodes, and MATCH, that are reached from ``nodes`` without a character where these
        conditions hold: the preferred ones first. Those in ``seen`` are left out, and new ones added."""
        seen = set() if seen is None else seen
        sets, needs, successors = self.sets, self.needs, self.successors
        leaves = []
        stack = [*nodes]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node == MATCH or sets[node] is not None:
                leaves.append(node)
            elif not needs[node] or needs[node] & conditions:
                stack += successors[node]
        return leaves

    def _classify(self, ranges: list[Ranges | None]) -> None:
        """The classes, what each node takes of them, and the kind of each.

        Kinds that no condition of the program asks for are not told apart: they would only make states.
        """
        words = WORD if self.used & (AT_WORD | NOT_AT_WORD) else ()
        lines = _NEWLINE if self.used & (BEGIN_LINE | END_LINE) else ()
        distinct = {words, lines, *[entry for entry in ranges if entry is not None]}
        edges = {edge for entry in distinct for low, high in entry for edge in (low, high + 1)}
        bounds = self.edges = sorted(edges)
        classes = {entry: _classes(bounds, entry) for entry in distinct}
        self.sets = [None if entry is None else classes[entry] for entry in ranges]
        self.kinds = [
            WORD_CHARACTER if number in classes[words] else NEWLINE if number in classes[lines] else OTHER
            for number in range(len(bounds) + 1)
        ]


def _classes(bounds: list[int], ranges: Ranges) -> frozenset[int]:
    return frozenset(
        number
        for low, high in ranges
        for number in range(bisect_right(bounds, low), bisect_right(bounds, high) + 1)
    )


class _Steps:
    """The nodes of a program, made from its end to its start."""

    def __init__(self) -> None:
        self.ranges: list[Ranges | None] = [None]
        self.needs: list[int] = [0]
        self.successors: list[tuple[int, ...]] = [()]

    def emit(self, node: Node, after: int) -> int:
        """The first step of ``node``, which goes on at ``after``."""
        if isinstance(node, Chars):
            return self._add(node.ranges, 0, (after,))
        if isinstance(node, Place):
            return self._add(None, node.condition, (after,)) if node.condition else after
        if isinstance(node, Choice):
            return self._add(None, 0, tuple([self.emit(child, after) for child in reversed(node.nodes)]))
        if isinstance(node, Repeat):
            return self._repeat(node, after)
        for child in reversed(node.nodes):
            after = self.emit(child, after)
        return after

    def _add(self, ranges: Ranges | None, condition: int, successors: tuple[int, ...]) -> int:
        self.ranges.append(ranges)
        self.needs.append(condition)
        self.successors.append(successors)
        return len(self.ranges) - 1

    def _repeat(self, node: Repeat, after: int) -> int:
        least = node.least
        if node.most is None:
            after = self._loop(node, after)
            least -= 1
        else:
            end = after
            for _ in range(node.most - least):
                after = self._either(self.emit(node.node, after), end, node.greedy)
        for _ in range(least):
            after = self.emit(node.node, after)
        return after

    def _loop(self, node: Repeat, after: int) -> int:
        again = self._add(None, 0, ())
        first = self.emit(node.node, again)
        self.successors[again] = (after, first) if node.greedy else (first, after)
        if node.least:
            return first
        # What may be empty would take the way out of the loop before its own alternatives: as RE2 does,
        # x* is (x+)? then.
        return self._either(first, after, node.greedy) if node.node.may_be_empty else again

    def _either(self, first: int, second: int, greedy: bool) -> int:
        return self._add(None, 0, (second, first) if greedy else (first, second))
