"""What a server says its tools are, held against what it said when they were first seen or last accepted.

A tool that changes after people chose to trust it may say something else to the model (a rug pull), so it is
held until an admin accepts what it is now. What is seen first is accepted as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool

from policyc_server.clock import microseconds
from policyc_server.store.mcp_tools import MOST_TOOLS, Definition, McpToolStore

#: Of a tool's name; one with a longer name is held for good.
LONGEST_NAME = 200
#: What is neither shown to a model nor acts on a client.
_UNPINNED = frozenset({"_meta"})

Tool = Mapping[str, Any]


class Pins(Protocol):
    """Remembers the tools of servers. Raises SQLAlchemyError where that fails."""

    async def see(self, server: str, tools: Iterable[Tool]) -> set[str]:
        """Notes ``tools`` of one list; the names of those that are held."""
        ...

    async def is_held(self, server: str, tool: str) -> bool:
        """Whether the tool changed, and nobody has accepted it."""
        ...

    async def definition(self, server: str, tool: str) -> Tool | None:
        """What is known of a tool; None where it was never listed."""
        ...


class NoPins:
    """Without a store: nothing is held, and only what this process saw is known."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], Tool] = {}

    async def see(self, server: str, tools: Iterable[Tool]) -> set[str]:
        if len(self._seen) > MOST_TOOLS:
            self._seen.clear()
        self._seen |= {(server, tool["name"]): tool for tool in tools}
        return set()

    async def is_held(self, server: str, tool: str) -> bool:  # noqa: ARG002
        return False

    async def definition(self, server: str, tool: str) -> Tool | None:
        return self._seen.get((server, tool))


class StoredPins:
    """In a store, for every process on it."""

    def __init__(self, store: McpToolStore) -> None:
        self._store = store

    async def see(self, server: str, tools: Iterable[Tool]) -> set[str]:
        seen: dict[str, Definition] = {}
        held = set()
        for tool in tools:
            name, definition = tool["name"], define(tool)
            # Two of one name: which of them a client takes is not known.
            if not _is_storable(name) or seen.get(name, definition) != definition:
                held.add(name)
            seen[name] = definition
        asked = [name for name in seen if name not in held][:MOST_TOOLS]
        kept = {name: seen[name] for name in asked}
        pins = await run_in_threadpool(self._store.see, server, kept, microseconds())
        return {name for name in seen if name not in pins or pins[name].changed is not None}

    async def is_held(self, server: str, tool: str) -> bool:
        if not _is_storable(tool):
            return True
        pin = await run_in_threadpool(self._store.get, server, tool)
        return pin is not None and pin.changed is not None

    async def definition(self, server: str, tool: str) -> Tool | None:
        pin = await run_in_threadpool(self._store.get, server, tool) if _is_storable(tool) else None
        return None if pin is None else json.loads(pin.accepted.text)


def define(tool: Tool) -> Definition:
    """The definition of a tool as a server lists it, the same however its keys are ordered."""
    said = {key: value for key, value in tool.items() if key not in _UNPINNED}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return Definition(hashlib.sha256(text.encode("ascii")).hexdigest(), text)


def _is_storable(name: str) -> bool:
    return len(name) <= LONGEST_NAME and "\0" not in name
