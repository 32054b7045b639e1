"""Can a glob of a rule and a glob of the line name the same thing?"""

from __future__ import annotations

from policyc.engine.remembered import remembered

#: Steps after which the answer is that they may.
MAX_STEPS = 200_000


def may_overlap(pattern: str, glob: str) -> bool:
    """Whether some text is covered by both; never False wrongly.

    ``pattern`` has ``*`` (any run) and ``?``; ``glob`` is the shell's: its ``*`` and ``?`` stay within a name
    and do not begin a hidden one, ``**`` is any run.
    """
    if len(pattern) * len(glob) > MAX_STEPS:
        return True
    steps = _compiled(pattern)
    states = steps.closed(1)
    at, start = 0, True
    while at < len(glob):
        char = glob[at]
        if char == "*" and glob.startswith("**", at):
            states = steps.run(states, steps.every)
            at += 2
            start = False
            continue
        if char == "*":
            states |= steps.run(steps.step(states, steps.any_but(start)), steps.any_but(False))
            at += 1
        elif char == "?":
            states = steps.step(states, steps.any_but(start))
            at += 1
        elif char == "[" and "]" in glob[at + 2 :]:
            at = glob.index("]", at + 2) + 1
            states = steps.step(states, steps.any_but(False))
        else:
            states = steps.step(states, steps.of.get(char, steps.free))
            at += 1
        start = char == "/"
        if not states:
            return False
    return bool(states >> len(pattern))


class _Steps:
    """A pattern, for sets of places in it as bits of an integer: bit ``n`` is before character ``n``."""

    __slots__ = ("every", "free", "of", "stars")

    def __init__(self, pattern: str) -> None:
        self.stars = sum(1 << at for at, char in enumerate(pattern) if char == "*")
        #: Where any character goes on, and where each other one does.
        self.free = sum(1 << at for at, char in enumerate(pattern) if char == "?")
        self.every = (1 << len(pattern)) - 1 & ~self.stars
        self.of: dict[str, int] = {}
        for at, char in enumerate(pattern):
            if char not in "*?":
                self.of[char] = self.of.get(char, self.free) | 1 << at

    def any_but(self, start: bool) -> int:
        """Where a character within a name goes on; at its ``start``, one that does not hide it."""
        barred = self.of.get("/", 0) | (self.of.get(".", 0) if start else 0)
        return self.every & ~barred | self.free

    def step(self, states: int, going_on: int) -> int:
        """After one character: a star stays, other places go on where they may."""
        return self.closed((states & going_on) << 1 | states & self.stars)

    def run(self, states: int, going_on: int) -> int:
        """After any number of characters."""
        found = 0
        while states | found != found:
            found |= states
            states = self.step(states, going_on)
        return found

    def closed(self, states: int) -> int:
        """With the places that are reached where a star stands for nothing."""
        reached = states
        while reached:
            reached = (reached & self.stars) << 1 & ~states
            states |= reached
        return states


@remembered(4096)
def _compiled(pattern: str) -> _Steps:
    return _Steps(pattern)
