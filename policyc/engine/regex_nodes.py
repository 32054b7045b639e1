"""The tree of a pattern. Captures leave no trace: only where the whole pattern matches is ever asked."""

from __future__ import annotations

from policyc.engine.regex_errors import RegexError
from policyc.engine.regex_ranges import Ranges

#: Steps of one program. RE2 bounds the bytes of its own.
MAX_SIZE = 50_000
#: Nodes inside each other; RE2 has no such bound.
MAX_HEIGHT = 200

#: Conditions on a place between two characters.
BEGIN_TEXT, END_TEXT, BEGIN_LINE, END_LINE, AT_WORD, NOT_AT_WORD = 1, 2, 4, 8, 16, 32


class Node:
    """``size``: how many steps of a program it takes; ``height``: nodes inside each other, itself included;
    ``repeats``: what the counted repeats in it come to, multiplied through; ``may_be_empty`` says so."""

    __slots__ = ("height", "may_be_empty", "nodes", "repeats", "size")

    #: Of a sequence and a choice.
    nodes: list[Node]

    def __init__(self, size: int, height: int, repeats: int, *, may_be_empty: bool) -> None:
        if size > MAX_SIZE:
            raise RegexError("pattern too large: its counted repeats multiply its length")
        if height > MAX_HEIGHT:
            raise RegexError(f"pattern too large: more than {MAX_HEIGHT} groups inside each other")
        self.size = size
        self.height = height
        self.repeats = repeats
        self.may_be_empty = may_be_empty


class Chars(Node):
    """One character out of ``ranges``."""

    __slots__ = ("ranges",)

    def __init__(self, ranges: Ranges) -> None:
        super().__init__(1, 1, 1, may_be_empty=False)
        self.ranges = ranges


class Place(Node):
    """No character, at a place with one of the conditions in ``condition``; 0 asks for none."""

    __slots__ = ("condition",)

    def __init__(self, condition: int) -> None:
        super().__init__(1, 1, 1, may_be_empty=True)
        self.condition = condition


class Sequence(Node):
    """Its nodes one after the other."""

    __slots__ = ()

    def __init__(self, nodes: list[Node]) -> None:
        super().__init__(*_sums(nodes), may_be_empty=all(node.may_be_empty for node in nodes))
        self.nodes = nodes


class Choice(Node):
    """One of its nodes, the first preferred."""

    __slots__ = ()

    def __init__(self, nodes: list[Node]) -> None:
        super().__init__(*_sums(nodes), may_be_empty=any(node.may_be_empty for node in nodes))
        self.nodes = nodes


class Repeat(Node):
    """``node`` from ``least`` to ``most`` times (None: without limit), as often as possible if ``greedy``."""

    __slots__ = ("greedy", "least", "most", "node")

    def __init__(self, node: Node, least: int, most: int | None, *, greedy: bool, counted: bool) -> None:
        times = max(least if most is None else most, 1)
        super().__init__(
            node.size * times + times - min(least, times) + 2,
            node.height + 1,
            node.repeats * times if counted else node.repeats,
            may_be_empty=least == 0 or node.may_be_empty,
        )
        self.node = node
        self.least = least
        self.most = most
        self.greedy = greedy


def _sums(nodes: list[Node]) -> tuple[int, int, int]:
    return (
        sum([node.size for node in nodes]) + 1,
        max([node.height for node in nodes]) + 1,
        max([node.repeats for node in nodes]),
    )
