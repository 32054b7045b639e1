"""A parsed document to a Call: the API's plain form, or any agent's hook payload, told by its shape."""

from __future__ import annotations

from policyc.engine.dialects import detect, owners
from policyc.engine.dialects.tools import CallError, expect_object, expect_text, optional_text
from policyc.engine.model import DEFAULT_STAGE, STAGES, Call

__all__ = ["CallError", "read_call"]

_TEXT_KEYS = ("agent", "skill", "run", "session", "environment_id", "cwd", "os")
_KEYS = frozenset(("tool", "args", "stage", "realpaths", "cost_cents", *_TEXT_KEYS))
#: More than any run costs, and less than the numbers that a database adds up.
_MOST_CENTS = 10**12


def read_call(document: object) -> Call:
    """The call in ``document`` (parsed JSON). Raises CallError with the place that is wrong."""
    data = expect_object(document, "$")
    if "tool" in data and "hook_event_name" not in data:
        return _plain(data)
    dialect = detect(data, None)
    if dialect is not None:
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
    call = _at_hook(tool, args) if stage == "hook" else Call(tool, args, stage)
    for key in _TEXT_KEYS:
        value = optional_text(data, key)
        if value is not None:
            for part in call.parts:
                setattr(part, key, value)
    call.cost_cents = _cost(data.get("cost_cents", 0))
    for part in call.parts:
        part.realpaths = _realpaths(data.get("realpaths"))
    return call


def _cost(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_CENTS:
        raise CallError("$.cost_cents", f"is no whole number of cents from 0 to {_MOST_CENTS:,}")
    return value


def _at_hook(tool: str, args: dict[str, object]) -> Call:
    """The call as the first agent makes it that has such a tool and can read the arguments."""
    errors = []
    for dialect in owners(tool):
        try:
            return dialect.call(tool, args)
        except CallError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return Call(tool, args, "hook")


def _realpaths(value: object) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise CallError("$.realpaths", "is not a list")
    return [expect_text(item, f"$.realpaths[{n}]") for n, item in enumerate(value)]
