"""Canonical names and argument keys: what lets one rule speak of every agent's shell."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.model import Call

#: First segments of canonical names. An MCP server of such a name could pass for one and is refused.
FAMILIES = frozenset({"shell", "fs", "http", "mcp"})


class CallError(ValueError):
    """A call that cannot be read: ``path`` is where (``$.args``), ``message`` why."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


class Tool:
    """A canonical name, and for each canonical argument the native keys it may come from."""

    __slots__ = ("canonical", "keys")

    def __init__(self, canonical: str, **keys: tuple[str, ...]) -> None:
        self.canonical = canonical
        self.keys = keys


class Dialect:
    """An agent's wording: ``recognises`` and ``read`` take a hook payload (``read`` may raise CallError),
    ``call`` takes a tool name and its arguments."""

    __slots__ = ("call", "name", "read", "recognises", "tools")

    def __init__(
        self,
        name: str,
        tools: dict[str, Tool],
        recognises: Callable[[dict[str, object]], bool],
        read: Callable[[dict[str, object]], Call],
        call: Callable[[str, dict[str, object]], Call],
    ) -> None:
        self.name = name
        self.tools = tools
        self.recognises = recognises
        self.read = read
        self.call = call


def canonical_args(tool: Tool, args: dict[str, object], where: str) -> dict[str, object]:
    """``args`` with the canonical keys set from the keys that the agent executes.

    A canonical key the model sent itself is replaced, or dropped where the real key is absent: it would be
    a decoy. Two native keys that disagree leave open which one runs, so the call cannot be read (CallError).
    """
    known = dict(args)
    for canonical, natives in tool.keys.items():
        present = [native for native in natives if native in args]
        if any(args[native] != args[present[0]] for native in present[1:]):
            named = ", ".join(repr(native) for native in present)
            raise CallError(where, f"{named} disagree, and which of them the agent uses is not known")
        known.pop(canonical, None)
        if present:
            known[canonical] = args[present[0]]
    return known


def expect_object(value: object, path: str) -> dict[str, object]:
    """``value`` when it is an object. Raises CallError."""
    if not isinstance(value, dict):
        raise CallError(path, "is not an object")
    return value


def expect_text(value: object, path: str) -> str:
    """``value`` when it is a string. Raises CallError."""
    if not isinstance(value, str):
        raise CallError(path, "is not a string")
    return value


def optional_text(document: dict[str, object], key: str) -> str | None:
    """The string under ``key``, None where it is absent or null. Raises CallError."""
    value = document.get(key)
    return None if value is None else expect_text(value, f"$.{key}")
