"""Canonical names and argument keys: what lets one rule speak of every agent's shell."""

from __future__ import annotations

from policyc.engine.model import Call

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable, Iterable

#: First segments of canonical names. An MCP server of such a name could pass for one and is refused.
FAMILIES = frozenset({"shell", "fs", "http", "mcp"})


class CallError(ValueError):
    """A call that cannot be read: ``path`` is where (``$.args``), ``message`` why."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


class Part:
    """One thing that a call does: its canonical name, None where it has none, and canonical arguments."""

    __slots__ = ("args", "canonical")

    def __init__(self, canonical: str | None, **args: str) -> None:
        self.canonical = canonical
        self.args = args


class Tool:
    """A canonical name, and for each canonical argument the native keys it may come from.

    A call without a ``required`` argument cannot be read: the agent acts on something no rule would see.
    A tool that acts on several things in one call has ``parts``, which lists them, given the native
    arguments and where they are; it may raise CallError. ``also`` are other canonical names of such parts.
    """

    __slots__ = ("also", "canonical", "keys", "parts", "required")

    def __init__(
        self,
        canonical: str,
        required: tuple[str, ...] = (),
        *,
        parts: Callable[[dict[str, object], str], list[Part]] | None = None,
        also: tuple[str, ...] = (),
        **keys: tuple[str, ...],
    ) -> None:
        self.canonical = canonical
        self.required = required
        self.parts = parts or self._one
        self.also = also
        self.keys = keys

    def _one(self, args: dict[str, object], where: str) -> list[Part]:
        found = {}
        for canonical, natives in self.keys.items():
            read = needed if canonical in self.required else executed
            value = read(natives, args, where)
            if value is not None:
                found[canonical] = value
        return [Part(self.canonical, **found)]


def hook_call(name: str, args: dict[str, object], tool: Tool | None, where: str) -> Call:
    """A call at a hook, with its canonical name and keys where ``tool`` is known. Raises CallError.

    What leaves open what the agent will do raises: a required argument that is absent, one that is no
    string, two native keys that disagree, nothing to act on.
    """
    if tool is None:
        return Call(name, args, "hook")
    parts = tool.parts(args, where)
    if not parts:
        raise CallError(where, "names nothing that the tool would act on")
    # A canonical key the model sent itself is replaced, or dropped where the real key is absent: it would be
    # a decoy.
    decoys = {key for part in parts for key in part.args}.union(tool.keys)
    rest = {key: value for key, value in args.items() if key not in decoys}
    return together(
        Call(name, {**rest, **part.args}, "hook", canonical=part.canonical, native_args=args)
        for part in parts
    )


def together(calls: Iterable[Call]) -> Call:
    """``calls`` as one, which is judged by all of them."""
    first, *more = calls
    first.more = tuple(more)
    return first


def place(call: Call, document: dict[str, object], **keys: str) -> Call:
    """``call`` with each attribute in ``keys`` set from that key of ``document``. Raises CallError."""
    for attribute, key in keys.items():
        value = optional_text(document, key)
        for part in call.parts:
            setattr(part, attribute, value)
    return call


def first_folder(document: dict[str, object], key: str) -> str | None:
    """The first of the list of folders under ``key``: the workspace. Raises CallError."""
    folders = expect_list(document.get(key) or [], f"$.{key}")
    return expect_text(folders[0], f"$.{key}[0]") if folders else None


def needed(natives: tuple[str, ...], args: dict[str, object], where: str) -> str:
    """The one string under the keys ``natives``. Raises CallError where there is none."""
    value = executed(natives, args, where)
    if value is None:
        raise CallError(f"{where}.{natives[0]}", "is missing, and the tool acts on it")
    return value


def executed(natives: Iterable[str], args: dict[str, object], where: str) -> str | None:
    """The one string under the keys ``natives``; None where there is none. Raises CallError."""
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


def expect_list(value: object, path: str) -> list[object]:
    """``value`` when it is a list. Raises CallError."""
    if not isinstance(value, list):
        raise CallError(path, "is not a list")
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
