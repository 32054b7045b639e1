"""The regex clauses on one path as one pattern set: scanned once per call, and most rules skipped at once."""

from __future__ import annotations

from policyc.engine.clauses import compile_clause
from policyc.engine.model import Call, Clause, Outcome
from policyc.engine.paths import MISSING, compile_singular, is_singular
from policyc.engine.program import Test
from policyc.engine.regex import PatternSet

#: Patterns per scanner: a call that an early rule decides does not scan for the late ones.
CHUNK = 64


def is_gate(clause: Clause) -> bool:
    """Whether the clause can only be true where its pattern matches."""
    return _is_merged(clause) and not clause.negated and not clause.on_missing


def _is_merged(clause: Clause) -> bool:
    return clause.op == "regex" and is_singular(clause.steps)


class Scanner:
    """The regex clauses on one path as one pattern set over the value there."""

    __slots__ = ("_get", "_set", "patterns", "slot")

    def __init__(self, slot: int, clause: Clause) -> None:
        self.slot = slot
        # Grows until the program is complete; the set is built at the first scan, after that.
        self.patterns: list[str] = []
        self._get = compile_singular(clause.steps)
        self._set = PatternSet(self.patterns)

    def hits(self, call: Call, hits: list[object]) -> object:
        """The indexes of the patterns that match, or MISSING; scanned once per call."""
        found = hits[self.slot]
        if found is None:
            value = self._get(call.args)
            if value is not MISSING:
                value = self._set.scan(value) if isinstance(value, str) else ()
            found = hits[self.slot] = value
        return found


class Scanners:
    """The scanners of one program, one per path and chunk."""

    __slots__ = ("_open", "count")

    def __init__(self) -> None:
        self.count = 0
        self._open: dict[str, Scanner] = {}

    def place(self, clause: Clause) -> tuple[Scanner, int]:
        """The scanner that holds the clause's pattern, and the pattern's index in it."""
        key = repr(clause.steps)
        scanner = self._open.get(key)
        if scanner is None or len(scanner.patterns) == CHUNK:
            scanner = self._open[key] = Scanner(self.count, clause)
            self.count += 1
        scanner.patterns.append(str(clause.value))
        return scanner, len(scanner.patterns) - 1

    def test(self, clause: Clause) -> Test:
        """A test ``(call, hits)`` for any clause."""
        if not _is_merged(clause):
            plain = compile_clause(clause)
            return lambda call, _hits: plain(call)
        scanner, index = self.place(clause)
        negated, on_missing = clause.negated, clause.on_missing

        def test(call: Call, hits: list[object]) -> bool:
            found = scanner.hits(call, hits)
            if found is MISSING:
                return on_missing
            return (index in found) is not negated  # type: ignore[operator]

        return test


class RegexGroup:
    """Neighbouring rules that each need a pattern of one scanner: most calls skip all of them at once."""

    __slots__ = ("members", "scanner")

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        #: Pattern index -> the rule's other clauses and its outcome. Indexes ascend in rule order.
        self.members: dict[int, tuple[Test | None, Outcome]] = {}

    def decide(self, call: Call, hits: list[object]) -> Outcome | None:
        found = self.scanner.hits(call, hits)
        if not found or found is MISSING:
            return None
        for index in sorted(found):  # type: ignore[call-overload]
            rest, outcome = self.members.get(index, (None, None))
            if outcome is not None and (rest is None or rest(call, hits)):
                return outcome
        return None
