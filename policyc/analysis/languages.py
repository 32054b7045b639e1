"""Sets of texts as automata that are explored as far as a question needs, and the shortest text in one.

A language is a pattern of the engine's own syntax tree, so ``regex`` means here what it means there.
https://swtch.com/~rsc/regexp/ for the construction.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Sequence
from functools import lru_cache

from policyc.analysis.budget import Budget
from policyc.engine.regex_nodes import Chars, Choice, Node, Place, Repeat
from policyc.engine.regex_nodes import Sequence as Row
from policyc.engine.regex_program import CONDITIONS, NOTHING, Program
from policyc.engine.regex_ranges import ANY
from policyc.engine.regex_syntax import parse

#: Code points that no clean text has.
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF
#: The characters that a witness is made of where it is free to choose, the preferred ones first.
_PREFERRED = "aexios0123456789bcdfghjklmnpqrtuvwyzAEXIOSBCDFGHJKLMNPQRTUVWYZ_-./ :@"

#: The places in a pattern where the text so far may have led, and what the last character was; or an answer.
_State = tuple[frozenset[int], int] | bool


class Language:
    """The texts that ``tree`` matches, as a whole or anywhere. Equal sources make one language."""

    __slots__ = ("_program", "_start", "_steps", "_tree", "_whole", "edges", "source")

    def __init__(self, source: str, tree: Node, *, whole: bool) -> None:
        self.source = source
        self._tree = tree
        self._program = Program(tree)
        self._whole = whole
        self._start: _State = (frozenset((self._program.start,)), self._program.before_text())
        self._steps: dict[tuple[_State, int], _State] = {}
        #: Where the classes of characters begin that the language tells apart.
        self.edges: tuple[int, ...] = tuple(self._program.edges)

    @property
    def start(self) -> _State:
        return self._start

    @property
    def example(self) -> str | None:
        """A text of the language where one is plain from the pattern, without a search; it may be longer than
        the shortest."""
        text = _written(self._tree)
        return text if text is not None and text in self else None

    def after(self, state: _State, code: int) -> _State:
        """The state after one more character."""
        if isinstance(state, bool):
            return state
        program = self._program
        number = program.class_of(chr(code))
        known = self._steps.get((state, number))
        if known is None:
            known = self._steps[state, number] = self._step(state, number, program.kinds[number])
        return known

    def accepts(self, state: _State) -> bool:
        """Whether a text that ends here is in the language."""
        if isinstance(state, bool):
            return state
        return self._step(state, -1, NOTHING) is True

    def __contains__(self, text: str) -> bool:
        state = self._start
        for char in text:
            state = self.after(state, ord(char))
        return self.accepts(state)

    def _step(self, state: tuple[frozenset[int], int], number: int, kind: int) -> _State:
        program, nodes = self._program, set()
        for node in program.closure(state[0], CONDITIONS[state[1]][kind]):
            taken = program.sets[node]
            if taken is None:
                if number < 0 or not self._whole:
                    return True
            elif number in taken:
                nodes.add(program.successors[node][0])
        if number < 0:
            return False
        if not self._whole and not program.anchored:
            nodes.add(program.start)
        return (frozenset(nodes), kind) if nodes else False


def _written(node: Node) -> str | None:
    """What the pattern spells out with as few repeats as can be, whatever its places ask for."""
    if isinstance(node, Chars):
        codes = [code for low, high in node.ranges if (code := _readable(low, high)) is not None]
        return chr(min(codes, key=_rank)) if codes else None
    if isinstance(node, Repeat):
        text = _written(node.node) if node.least else ""
        return None if text is None else text * node.least
    if isinstance(node, Choice):
        texts = [text for text in map(_written, node.nodes) if text is not None]
        return min(texts, key=len, default=None)
    if isinstance(node, Row):
        parts = [_written(part) for part in node.nodes]
        return None if None in parts else "".join(part for part in parts if part is not None)
    return ""


@lru_cache(maxsize=4096)
def searched(pattern: str) -> Language:
    """The texts in which a pattern matches somewhere: the operator ``regex``."""
    return Language(f"regex {pattern}", parse(pattern), whole=False)


@lru_cache(maxsize=4096)
def globbed(globs: tuple[str, ...]) -> Language:
    """The names that one of the globs covers."""
    return Language(f"glob {globs!r}", _choice([_glob(glob) for glob in globs]), whole=True)


@lru_cache(maxsize=4096)
def equal_to(texts: tuple[str, ...]) -> Language:
    """These texts."""
    return Language(f"in {texts!r}", _choice([_literal(text) for text in texts]), whole=True)


@lru_cache(maxsize=4096)
def beginning(text: str) -> Language:
    return Language(f"starts_with {text}", Row([_literal(text), _anything()]), whole=True)


@lru_cache(maxsize=4096)
def ending(text: str) -> Language:
    return Language(f"ends_with {text}", Row([_anything(), _literal(text)]), whole=True)


@lru_cache(maxsize=4096)
def containing(text: str) -> Language:
    return Language(f"contains {text}", _literal(text), whole=False)


def _anything() -> Node:
    return Repeat(Chars(ANY), 0, None, greedy=True, counted=False)


def _literal(text: str) -> Node:
    return Row([Chars(((ord(char), ord(char)),)) for char in text] or [Place(0)])


def _glob(glob: str) -> Node:
    nodes: list[Node] = []
    for number, piece in enumerate((glob or "*").split("*")):
        nodes += [*([_anything()] if number else []), _literal(piece)]
    return Row(nodes)


def _choice(nodes: list[Node]) -> Node:
    return Choice(nodes)


#: A language, and whether a text is to be in it or out of it.
Demand = tuple[Language, bool]


def shortest(demands: Iterable[Demand], budget: Budget) -> str | None:
    """The shortest text that meets every demand, None where there is none. Raises Exhausted."""
    wanted = tuple(dict.fromkeys(demands))
    codes = _representatives(language for language, _ in wanted)
    start = tuple(language.start for language, _ in wanted)
    before: dict[tuple[_State, ...], tuple[tuple[_State, ...], int] | None] = {start: None}
    queue = deque([start])
    while queue:
        states = queue.popleft()
        if all(
            language.accepts(state) is wants for state, (language, wants) in zip(states, wanted, strict=True)
        ):
            return _spelt(states, before)
        for code in codes:
            budget.state()
            following = _following(states, code, wanted)
            if following is not None and following not in before:
                before[following] = (states, code)
                queue.append(following)
    return None


def _following(states: tuple[_State, ...], code: int, wanted: Sequence[Demand]) -> tuple[_State, ...] | None:
    """The states after a character; None where a demand can no longer be met."""
    following = []
    for state, (language, wants) in zip(states, wanted, strict=True):
        after = language.after(state, code)
        if isinstance(after, bool) and after is not wants:
            return None
        following.append(after)
    return tuple(following)


def _representatives(languages: Iterable[Language]) -> list[int]:
    """One character for each class that any of the languages tells apart, those readable ones first."""
    edges = sorted({0, 0x110000, *(edge for language in languages for edge in language.edges)})
    found = [
        code for low, high in itertools.pairwise(edges) if (code := _readable(low, high - 1)) is not None
    ]
    return sorted(found, key=lambda code: (_rank(code), code))


def _readable(low: int, high: int) -> int | None:
    for char in _PREFERRED:
        if low <= ord(char) <= high:
            return ord(char)
    code: int
    for code in (*range(max(low, 33), min(high, 126) + 1), low, high):
        if not _FIRST_SURROGATE <= code <= _LAST_SURROGATE:
            return code
    code = _LAST_SURROGATE + 1
    return code if low <= code <= high else None


def _rank(code: int) -> int:
    place = _PREFERRED.find(chr(code))
    return place if place >= 0 else len(_PREFERRED) + (0 if 32 < code < 127 else 1)


def _spelt(
    states: tuple[_State, ...],
    before: dict[tuple[_State, ...], tuple[tuple[_State, ...], int] | None],
) -> str:
    codes = []
    step = before[states]
    while step is not None:
        states, code = step
        codes.append(chr(code))
        step = before[states]
    return "".join(reversed(codes))
