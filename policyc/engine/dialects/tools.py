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
    """A canonical name, and for each canonical argument the native keys it may come from.

    A call without a ``required`` argument cannot be read: the agent acts on something no rule would see.
    """

    __slots__ = ("canonical", "keys", "required")

    def __init__(self, canonical: str, required: tuple[str, ...] = (), **optional: tuple[str, ...]) -> None:
        self.canonical = canonical
        self.required = required
        self.keys = optional


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


def hook_call(name: str, args: dict[str, object], tool: Tool | None, where: str) -> Call:
    """A call at a hook, with its canonical name and keys where ``tool`` is known. Raises CallError."""
    if tool is None:
        return Call(name, args, "hook")
    known = canonical_args(tool, args, where)
    return Call(name, known, "hook", canonical=tool.canonical, native_args=args)


def canonical_args(tool: Tool, args: dict[str, object], where: str) -> dict[str, object]:
    """``args`` with the canonical keys set from the keys that the agent executes.

    A canonical key the model sent itself is replaced, or dropped where the real key is absent: it would be
    a decoy. What leaves open what the agent will do raises CallError: a required argument that is absent,
    one that is no string, two native keys that disagree.
    """
    known = dict(args)
    for canonical, natives in tool.keys.items():
        known.pop(canonical, None)
        value = _executed(natives, args, where)
        if value is not None:
            known[canonical] = value
        elif canonical in tool.required:
            raise CallError(f"{where}.{natives[0]}", "is missing, and the tool acts on it")
    return known


def _executed(natives: tuple[str, ...], args: dict[str, object], where: str) -> str | None:
    values = [expect_text(args[native], f"{where}.{native}") for native in natives if native in args]
    if len(set(values)) > 1:
        named = ", ".join(native for native in natives if native in args)
        raise CallError(where, f"{named} disagree, and which of them the agent uses is not known")
    return values[0] if values else None


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
