"""A parsed document to a Call: the API's plain form, or an agent's hook payload, told by its shape."""

from __future__ import annotations

from policyc.engine.dialects import DIALECTS
from policyc.engine.dialects.tools import CallError, expect_object, expect_text, optional_text
from policyc.engine.model import DEFAULT_STAGE, STAGES, Call

__all__ = ["CallError", "read_call"]

_TEXT_KEYS = ("agent", "skill", "run", "session", "environment_id", "cwd", "os")
_KEYS = frozenset(("tool", "args", "stage", "realpaths", *_TEXT_KEYS))


def read_call(document: object) -> Call:
    """The call in ``document`` (parsed JSON). Raises CallError with the place that is wrong."""
    data = expect_object(document, "$")
    if "tool" in data:
        return _plain(data)
    for dialect in DIALECTS:
        if dialect.recognises(data):
            return dialect.read(data)
    raise CallError("$.tool", "is missing, and the document is no hook payload of a known agent")


def _plain(data: dict[str, object]) -> Call:
    for key in data:
        if key not in _KEYS:
            raise CallError(f"$.{key}", f"is not a key of a call; a call has {', '.join(sorted(_KEYS))}")
    tool = expect_text(data["tool"], "$.tool")
    args = expect_object(data.get("args", {}), "$.args")
    stage = data.get("stage", DEFAULT_STAGE)
    if not isinstance(stage, str) or stage not in STAGES:
        raise CallError("$.stage", f"{stage!r} is not a stage; stages are {', '.join(STAGES)}")
    # At a hook, a tool of a known agent has that agent's canonical name as well.
    known = (
        next((dialect for dialect in DIALECTS if tool in dialect.tools), None) if stage == "hook" else None
    )
    call = Call(tool, args, stage) if known is None else known.call(tool, args)
    for key in _TEXT_KEYS:
        value = optional_text(data, key)
        if value is not None:
            setattr(call, key, value)
    call.realpaths = _realpaths(data.get("realpaths"))
    return call


def _realpaths(value: object) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise CallError("$.realpaths", "is not a list")
    return [expect_text(item, f"$.realpaths[{n}]") for n, item in enumerate(value)]
