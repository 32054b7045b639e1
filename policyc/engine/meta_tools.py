"""Tools that call other tools: what a call of one comes to, so that the inner tools are judged as well."""

from __future__ import annotations

from itertools import islice

from policyc.engine.documents import Malformed, parse
from policyc.engine.globs import matches
from policyc.engine.model import Call
from policyc.engine.paths import select
from policyc.engine.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Iterator, Sequence

    Steps = list[list[object]]

#: Where a call has arguments that say what it calls.
_STAGES = frozenset(("response", "mcp", "hook"))
#: Calls inside of calls inside of one; deeper ones are not followed, and so not known.
_DEEPEST = 8
#: Calls inside of one that are judged; a call with more is not known.
_MOST = 256
_MCP = "mcp."


class MetaTool:
    """Tools, by glob, whose arguments name the tools that they call.

    ``each`` selects the objects that stand for one inner call each, None where the arguments are one.
    ``name`` and ``arguments`` select in such an object, and ``prefix`` goes before the name.
    """

    __slots__ = ("arguments", "each", "name", "prefix", "tools")

    def __init__(
        self, tools: tuple[str, ...], each: Steps | None, name: Steps, arguments: Steps, prefix: str
    ) -> None:
        self.tools = tools
        self.each = each
        self.name = name
        self.arguments = arguments
        self.prefix = prefix


def opened(meta_tools: Sequence[MetaTool], call: Call) -> Call:
    """``call`` where it calls no other tool, else a copy with what it calls in its ``more``.

    An inner call that cannot be told is one that ``is_unknown``, which nothing lets pass.
    """
    if call.stage not in _STAGES:
        return call
    found = (inner for part in call.parts for inner in _inside(meta_tools, part, _DEEPEST))
    inner = [*islice(found, _MOST)]
    if not inner:
        return call
    copy: Call = Call.__new__(Call)
    for name in Call.__slots__:
        setattr(copy, name, getattr(call, name))
    copy.more = (*call.more, *inner, *(_unknown(call) for _ in islice(found, 1)))
    return copy


def _inside(meta_tools: Sequence[MetaTool], call: Call, depth: int) -> Iterator[Call]:
    """What ``call`` calls, at any depth."""
    names = [clean(name) for name in call.names]
    for meta in meta_tools:
        if any(matches(glob, name) for glob in meta.tools for name in names):
            for inner in _calls(meta, call) if depth else [_unknown(call)]:
                yield inner
                if not inner.is_unknown:
                    yield from _inside(meta_tools, inner, depth - 1)


def _calls(meta: MetaTool, call: Call) -> list[Call]:
    items = [call.args] if meta.each is None else select(meta.each, call.args)
    # Nothing where it says to look: the tool reads its calls from somewhere else.
    return [found for item in items for found in _read(meta, call, item)] or [_unknown(call)]


def _read(meta: MetaTool, call: Call, item: object) -> tuple[Call, ...]:
    """The call that ``item`` stands for, in all its parts."""
    names, given = select(meta.name, item), select(meta.arguments, item)
    args = _object(given[0]) if given else {}
    if len(names) != 1 or not isinstance(names[0], str) or not names[0] or len(given) > 1 or args is None:
        return (_unknown(call),)
    name = meta.prefix + names[0]
    inner = _at_hook(name, args) if call.stage == "hook" else _elsewhere(name, args, call)
    if inner is None:
        return (_unknown(call),)
    parts = inner.parts
    inner.more = ()
    for part in parts:
        _place(part, call)
    return parts


def _object(value: object) -> dict[str, object] | None:
    """Arguments, which may come as JSON text."""
    if isinstance(value, str):
        try:
            value = parse(value)
        except Malformed:
            return None
    return value if isinstance(value, dict) else None


def _elsewhere(name: str, args: dict[str, object], call: Call) -> Call | None:
    """Beside hooks a name is what rules call the tool; an MCP server's tool has both of its names. What an
    LLM answers may also be how its API spells one."""
    native = name[len(_MCP) :] if name.startswith(_MCP) else name
    is_mcp = native != name or (call.canonical or "").startswith(_MCP)
    if call.stage == "response" and not is_mcp:
        return _on_the_wire(name, args)
    return Call(native, args, call.stage, canonical=_MCP + native if is_mcp else None)


def _on_the_wire(name: str, args: dict[str, object]) -> Call | None:
    from policyc.engine.dialects.tools import CallError  # only for meta-tools
    from policyc.engine.dialects.wire import read_wire

    try:
        return read_wire(name, args, "response")
    except CallError:
        return None


def _at_hook(name: str, args: dict[str, object]) -> Call | None:
    from policyc.engine.calls import CallError, read_call  # only for meta-tools
    from policyc.engine.dialects import load

    try:
        if name.startswith("mcp__"):
            return load("claude-code").call(name, args)
        return read_call({"tool": name, "args": args, "stage": "hook"})
    except CallError:
        return None


def _place(part: Call, call: Call) -> None:
    """Puts on ``part`` what the call around it says of who calls, from where, and what was counted."""
    for name in ("agent", "skill", "run", "session", "environment_id", "cwd", "os", "realpaths", "counted"):
        setattr(part, name, getattr(call, name))
    part.surface = call.surface


def _unknown(call: Call) -> Call:
    found = Call(call.tool, {}, call.stage, canonical=call.canonical)
    _place(found, call)
    found.is_unknown = True
    return found
