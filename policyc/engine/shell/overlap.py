"""Can a glob of a rule and a glob of the line name the same thing?"""

from __future__ import annotations

#: Steps after which the answer is that they may.
MAX_STEPS = 200_000


def may_overlap(pattern: str, glob: str) -> bool:
    """Whether some text is covered by both; never False wrongly.

    ``pattern`` has ``*`` (any run) and ``?``; ``glob`` is the shell's: its ``*`` and ``?`` stay within a name
    and do not begin a hidden one, ``**`` is any run.
    """
    if len(pattern) * len(glob) > MAX_STEPS:
        return True
    states = _closed({0}, pattern)
    at, start = 0, True
    while at < len(glob):
        char = glob[at]
        if char == "*" and glob.startswith("**", at):
            states = _run(states, pattern, lambda _char: True)
            at += 2
            start = False
            continue
        if char == "*":
            states = _run_in_name(states, pattern, start)
            at += 1
        elif char == "?":
            states = _step(
                states, pattern, lambda char, hidden=start: char != "/" and not (hidden and char == ".")
            )
            at += 1
        elif char == "[" and "]" in glob[at + 2 :]:
            at = glob.index("]", at + 2) + 1
            states = _step(states, pattern, lambda char: char != "/")
        else:
            states = _step(states, pattern, lambda candidate, wanted=char: candidate == wanted)
            at += 1
        start = char == "/"
        if not states:
            return False
    return len(pattern) in states


def _step(states: set[int], pattern: str, allows):  # type: ignore[no-untyped-def]
    following = set()
    for state in states:
        if state < len(pattern):
            char = pattern[state]
            if char == "*":
                following.add(state)
            elif char == "?" or allows(char):
                following.add(state + 1)
    return _closed(following, pattern)


def _run(states: set[int], pattern: str, allows):  # type: ignore[no-untyped-def]
    found = set(states)
    waiting = set(states)
    while waiting:
        waiting = _step(waiting, pattern, allows) - found
        found |= waiting
    return found


def _run_in_name(states: set[int], pattern: str, start: bool) -> set[int]:
    first = _step(states, pattern, lambda char: char != "/" and not (start and char == "."))
    found: set[int] = _run(first, pattern, lambda char: char != "/") | states
    return found


def _closed(states: set[int], pattern: str) -> set[int]:
    """With the states that are reached where a ``*`` of the pattern stands for nothing."""
    found = set(states)
    for state in states:
        while state < len(pattern) and pattern[state] == "*":
            state += 1
            found.add(state)
    return found
