"""A deterministic automaton over a program, built as texts ask for it and bounded.

A state is the set of nodes that the characters so far may have led to, and the kind of the last character:
the conditions of a place are settled by the character after it, so a step first follows what the place
allows and then takes the character. Each character costs one look-up once the state was there before, and
at most one look at every node of the program when it was not: linear in the text either way.
"""

from __future__ import annotations

from policyc.engine.regex_program import CONDITIONS, NOTHING, Program

#: What one automaton may keep: transitions, and nodes in its states; about 100 bytes each.
MAX_UNITS = 50_000


class _Settled(Exception):
    """The rest of the text does not change the answer."""


class _State(dict["str | int", "_State"]):
    """Character -> next state, and class of characters -> next state; ``""`` is the end of the text."""

    __slots__ = ()


class _Open(_State):
    """A state from which the text may lead anywhere."""

    __slots__ = ("automaton", "before", "nodes")

    def __init__(self, automaton: Automaton, nodes: frozenset[int], before: int) -> None:
        super().__init__()
        self.automaton = automaton
        self.nodes = nodes
        self.before = before

    def __missing__(self, char: str) -> _State:
        return self.automaton.follow(self, char)


class _Answer(_State):
    """What the rest of the text does not change."""

    __slots__ = ()

    def __missing__(self, char: str) -> _State:
        raise _Settled


FOUND, NEVER = _Answer(), _Answer()


class Automaton:
    """Whether a program matches anywhere in a text or, if ``whole``, all of it. May be shared by threads."""

    __slots__ = ("_program", "_start", "_states", "_unanchored", "_units", "_whole")

    def __init__(self, program: Program, *, whole: bool) -> None:
        self._program = program
        self._whole = whole
        self._unanchored = not whole and not program.anchored
        self._states: dict[tuple[frozenset[int], int], _Open] = {}
        self._units = 0
        self._start = self._state(frozenset((program.start,)), program.before_text())

    def matches(self, text: str) -> bool:
        """Whether the program matches ``text``, which is clean (text.py)."""
        state: _State = self._start
        try:
            for char in text:
                state = state[char]
            state = state[""]
        except _Settled:
            pass
        return state is FOUND

    def follow(self, state: _Open, char: str) -> _State:
        """The state after ``char``; the end of the text has an answer."""
        program = self._program
        number = program.class_of(char) if char else -1
        found = state.get(number)
        if found is None:
            kind = program.kinds[number] if char else NOTHING
            found = state[number] = self._step(state, number, kind)
        self._units += 2
        state[char] = found
        return found

    def _step(self, state: _Open, number: int, kind: int) -> _State:
        program = self._program
        sets, successors = program.sets, program.successors
        nodes = set()
        for node in program.closure(state.nodes, CONDITIONS[state.before][kind]):
            taken = sets[node]
            if taken is None:
                if number < 0 or not self._whole:
                    return FOUND
            elif number in taken:
                nodes.add(successors[node][0])
        if number < 0:
            return NEVER
        if self._unanchored:
            nodes.add(program.start)
        return self._state(frozenset(nodes), kind) if nodes else NEVER

    def _state(self, nodes: frozenset[int], before: int) -> _Open:
        key = (nodes, before)
        known = self._states.get(key)
        if known is None:
            if self._units > MAX_UNITS:
                self._start_over()
            self._units += 1 + len(nodes)
            known = self._states[key] = _Open(self, nodes, before)
        return known

    def _start_over(self) -> None:
        for state in list(self._states.values()):
            state.clear()
        start = self._start
        self._states = {(start.nodes, start.before): start}
        self._units = 0
