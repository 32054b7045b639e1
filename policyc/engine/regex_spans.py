"""Where a program matches: leftmost, and of the matches there the one that Perl and RE2 prefer.

The threads of the program walk the text side by side in order of preference (Pike's algorithm), so that one
search costs at most a look at each node per character.
"""

from __future__ import annotations

from collections.abc import Iterator

from policyc.engine.regex_program import CONDITIONS, NOTHING, Program


def spans(program: Program, text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each match that is not empty, without overlap."""
    position = 0
    while position <= len(text):
        span = _first(program, text, position)
        if span is None:
            return
        if span[0] < span[1]:
            yield span
            position = span[1]
        else:
            position = span[1] + 1


def _first(program: Program, text: str, position: int) -> tuple[int, int] | None:
    found: tuple[int, int] | None = None
    threads: list[tuple[int, int]] = []
    before = program.kinds[program.class_of(text[position - 1])] if position else program.before_text()
    for at in range(position, len(text) + 1):
        if found is None:
            threads.append((program.start, at))
        elif not threads:
            break
        number = program.class_of(text[at]) if at < len(text) else -1
        kind = program.kinds[number] if at < len(text) else NOTHING
        threads, end = _step(program, threads, number, CONDITIONS[before][kind])
        found = found if end is None else (end, at)
        before = kind
    return found


def _step(
    program: Program, threads: list[tuple[int, int]], number: int, conditions: int
) -> tuple[list[tuple[int, int]], int | None]:
    """The threads after a character of the class, and where the match starts that ends before it. Threads
    behind a match are preferred less than it, and are dropped."""
    seen: set[int] = set()
    left: list[tuple[int, int]] = []
    for thread, start in threads:
        for node in program.closure((thread,), conditions, seen):
            taken = program.sets[node]
            if taken is None:
                return left, start
            if number in taken:
                left.append((program.successors[node][0], start))
    return left, None
