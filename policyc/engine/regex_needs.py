"""The literals that a pattern needs, from its tree."""

from __future__ import annotations

from policyc.engine.regex_literals import Literals
from policyc.engine.regex_nodes import Chars, Choice, Node, Place, Repeat, Sequence
from policyc.engine.regex_ranges import Ranges
from policyc.engine.regex_syntax import FOLDED

_MAX_ALTERNATIVES = 16
#: An ASCII letter in all its cases, as a set -> its lower case.
_LETTERS = {FOLDED[ord(letter)].ranges: letter for letter in "abcdefghijklmnopqrstuvwxyz"}


def needed(node: Node) -> Literals | None:
    """The literals of the pattern, or None where it has none."""
    if isinstance(node, Choice):
        return _either([needed(child) for child in node.nodes])
    if isinstance(node, Repeat):
        return needed(node.node) if node.least else None
    return _best(_runs(node.nodes if isinstance(node, Sequence) else [node]))


def _best(found: list[Literals]) -> Literals | None:
    return max(found, key=Literals.rank, default=None)


def _either(found: list[Literals | None]) -> Literals | None:
    texts = [text for literals in found if literals is not None for text in literals.texts]
    if None in found or len(texts) > _MAX_ALTERNATIVES:
        return None
    return Literals(texts, any(literals.folded for literals in found if literals is not None))


def _runs(nodes: list[Node]) -> list[Literals]:
    """The literals that neighbouring nodes spell, and those of the nodes between them."""
    found: list[Literals] = []
    run, folded = "", False
    for node in nodes:
        char = _character(node.ranges) if isinstance(node, Chars) else None
        if char is not None and isinstance(node, Chars):
            run += char
            folded = folded or len(node.ranges) > 1
        elif not isinstance(node, Place):
            found += [Literals([run], folded)] if run else []
            run, folded = "", False
            inner = None if isinstance(node, Chars) else needed(node)
            found += [] if inner is None else [inner]
    return [*found, Literals([run], folded)] if run else found


def _character(ranges: Ranges) -> str | None:
    """The character that the set comes to: itself, or the lower case of an ASCII letter in all its cases."""
    if len(ranges) == 1:
        low, high = ranges[0]
        return chr(low) if low == high else None
    return _LETTERS.get(ranges)
