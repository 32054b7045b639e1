"""Routes as a table.

Paths are looked at from their end: operators and resellers put APIs below paths of their own
(`/openai/deployments/NAME/chat/completions`), and none of them may lead around the gateway.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyc_server.gateway.vendors.vendor import Api, Closed

Path = tuple[str, ...]


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
        return None


def _has(path: Path, part: Path) -> bool:
    return any(path[at : at + len(part)] == part for at in range(len(path)))
