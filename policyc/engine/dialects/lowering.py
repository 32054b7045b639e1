"""A verdict that an agent's hook cannot carry becomes a deny that says why."""

from __future__ import annotations

from policyc.engine.dialects.dialect import Dialect
from policyc.engine.model import Outcome

_WHY = {
    "pending_approval": "held for approval, which needs a server handler: this hook cannot ask anybody",
    "sanitize": "this agent's hook cannot change the arguments",
}


def lowered(outcome: Outcome, dialect: Dialect) -> Outcome:
    """``outcome``, or the deny in its place where ``dialect`` has no answer for its verdict."""
    why = _WHY.get(outcome.verdict)
    if why is None or outcome.verdict in dialect.carries:
        return outcome
    return outcome.changed("deny", f"{outcome.reason} ({why})", outcome.reason_code)
