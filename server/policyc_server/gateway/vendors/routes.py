"""Routes as a table.

Paths are looked at from their end: operators and resellers put APIs below paths of their own
(`/openai/deployments/NAME/chat/completions`), and none of them may lead around the gateway.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyc_server.gateway.vendors.vendor import Api, Closed

Path = tuple[str, ...]

_OTHERS = "it is another vendor's API: name an upstream of that kind, so that calls are inspected"
#: Ends of paths that answer with calls at some vendor, or at servers and clouds that host its models. What is
#: inspected is no other vendor's; what is not, passes nowhere.
_FOREIGN_ENDS: tuple[Path, ...] = (
    ("chat", "completions"),
    ("responses",),
    ("messages",),
    ("complete",),
    ("api", "chat"),
    ("api", "generate"),
    ("invocations",),
    ("invoke",),
    ("invoke-with-response-stream",),
    ("converse",),
    ("converse-stream",),
)
#: The same of what stands behind the last colon, dot or slash, as of `models/m:generateContent`.
_FOREIGN_METHODS = ("generatecontent", "rawpredict", "chatcompletions")


def foreign(segments: Path) -> Closed | None:
    """Why a path is closed that this vendor does not inspect, but another does. In lower case."""
    ends = any(segments[-len(end) :] == end for end in _FOREIGN_ENDS)
    return Closed(_OTHERS) if ends or segments[-1].endswith(_FOREIGN_METHODS) else None


@dataclass(frozen=True)
class Routes:
    """``inspected``: ends of paths that are posted to. ``passing``: ends of paths below closed ones that
    pass. ``closed``: methods, what the path has in it, and why it is closed. All in lower case."""

    inspected: Mapping[Path, Api]
    closed: tuple[tuple[tuple[str, ...], Path, str], ...]
    passing: tuple[Path, ...] = ()

    def find(self, method: str, segments: Path) -> Api | Closed | None:
        path = tuple(segment.lower() for segment in segments)
        for end, api in self.inspected.items():
            if path[-len(end) :] == end:
                # Some servers let a header say that another method is meant.
                return api if method == "POST" else Closed("it answers to POST")
        if any(path[-len(end) :] == end for end in self.passing):
            return None
        for methods, part, why in self.closed:
            if method in methods and _has(path, part):
                return Closed(why)
        return None if method == "GET" else foreign(path)


def _has(path: Path, part: Path) -> bool:
    return any(path[at : at + len(part)] == part for at in range(len(path)))
