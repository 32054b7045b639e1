"""How grave an evaluation is, in the words of both protocols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Severity:
    """``otlp`` is SeverityNumber, ``syslog`` the severity of RFC 5424."""

    name: str
    otlp: int
    syslog: int


_INFO = Severity("INFO", 9, 6)
_BY_VERDICT = {
    "deny": Severity("WARN", 13, 4),
    "pending_approval": Severity("INFO2", 10, 5),
    "sanitize": Severity("INFO2", 10, 5),
}


def severity_of(event: dict[str, Any]) -> Severity:
    return _BY_VERDICT.get(event["verdict"], _INFO)
