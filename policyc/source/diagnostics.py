"""A problem in what somebody wrote, as frozen data.

One catalogue entry per code (``policyc.source.catalogue``) carries the severity and the explanation; the
diagnostic itself says where and what. The text, the JSON and the documentation page all come from these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
#: 1-based line and column; columns count characters.
Place = tuple[int, int]
#: Keys and indexes from the root of a document.
JsonPath = tuple[str | int, ...]

START: Place = (1, 1)
_BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem. ``path`` is relative to the bundle; ``json_path`` is the place in the document."""

    code: str
    severity: Severity
    path: str
    line: int
    column: int
    json_path: str
    message: str
    hint: str | None = None

    def __lt__(self, other: Diagnostic) -> bool:
        return self._order() < other._order()

    def _order(self) -> tuple[str, int, int, str, str, str, str]:
        return (self.path, self.line, self.column, self.code, self.json_path, self.message, self.hint or "")

    def document(self) -> dict[str, object]:
        """The diagnostic as JSON data."""
        return {
            "code": self.code,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "json_path": self.json_path,
            "message": self.message,
            "hint": self.hint,
        }


def touches(wrong: tuple[JsonPath, ...], at: JsonPath) -> bool:
    """Whether one of the places is at ``at`` or below it."""
    return any(place[: len(at)] == at for place in wrong)


def format_path(path: JsonPath) -> str:
    """``("rules", 0, "a b")`` as ``$.rules[0]['a b']``."""
    return "$" + "".join(_step(step) for step in path)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _BARE_KEY.match(step):
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"
