"""Collects the diagnostics of one file."""

from __future__ import annotations

from policyc.source.catalogue import CATALOGUE
from policyc.source.diagnostics import START, Diagnostic, JsonPath, Place, format_path

#: More problems than this in one file are one problem: nobody reads them, and they cost an attacker nothing.
MAX_PER_FILE = 1000


class Findings:
    """The diagnostics of the file ``path``, in the order they were found."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: dict[Diagnostic, None] = {}
        self._holes: set[JsonPath] = set()

    def add(self, code: str, place: Place, at: JsonPath, message: str, hint: str | None = None) -> None:
        """Report ``code`` at ``place``. Dropped when it repeats another, or follows from a hole."""
        if self.full or self._in_hole(at):
            return
        severity = CATALOGUE[code].severity
        found = Diagnostic(code, severity, self.path, *place, format_path(at), message, hint)
        self._found[found] = None

    def hole(self, at: JsonPath) -> None:
        """The value at ``at`` could not be read and was reported: say nothing more about it."""
        self._holes.add(at)

    def _in_hole(self, at: JsonPath) -> bool:
        return any(at[:length] in self._holes for length in range(len(at) + 1)) if self._holes else False

    @property
    def full(self) -> bool:
        """Whether further problems are no longer taken."""
        return len(self._found) >= MAX_PER_FILE

    def has(self, code: str) -> bool:
        """Whether ``code`` was reported."""
        return any(found.code == code for found in self._found)

    @property
    def holes(self) -> bool:
        """Whether a value could not be read."""
        return bool(self._holes)

    @property
    def errors(self) -> bool:
        """Whether any of the problems is an error."""
        return any(found.severity == "error" for found in self._found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything reported, with a last word when there was too much."""
        found = tuple(self._found)
        if not self.full:
            return found
        message = f"more than {MAX_PER_FILE} problems in this file; the rest is not shown"
        return (*found, Diagnostic("too_many_problems", "error", self.path, *START, "$", message))
