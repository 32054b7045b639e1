"""Diagnostics that only show when several files are seen together."""

from __future__ import annotations

from policyc.source.diagnostics import START, Diagnostic, JsonPath, Place
from policyc.source.findings import Findings


class Reporting:
    """Findings by file."""

    def __init__(self) -> None:
        self._files: dict[str, Findings] = {}

    def add(
        self, code: str, path: str, place: Place, at: JsonPath, message: str, hint: str | None = None
    ) -> None:
        """Report ``code`` in the file ``path``."""
        self._files.setdefault(path, Findings(path)).add(code, place, at, message, hint)

    def of_bundle(self, code: str, path: str, message: str, hint: str | None = None) -> None:
        """Report ``code`` about a file as a whole, or about one that is not there."""
        self.add(code, path, START, (), message, hint)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything reported."""
        return [found for findings in self._files.values() for found in findings.diagnostics]
