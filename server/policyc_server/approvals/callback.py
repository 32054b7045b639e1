"""The body of a signed callback: who decided what, about which hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyc_server.approvals.desk import LONGEST_COMMENT
from policyc_server.approvals.signing import problem
from policyc_server.bodies import read_json
from policyc_server.errors import ApiError

_DECISIONS = {"approve": True, "deny": False}
_KEYS = {"approval_id", "decision", "by"}


@dataclass(frozen=True)
class Callback:
    approve: bool
    by: str
    comment: str | None


def read_callback(
    headers: Mapping[str, str], body: bytes, secret: str | None, approval: str, now: float
) -> Callback:
    """Raises ApiError: 403 where it is not signed as it must be, 422 where it is not about ``approval``.

    The body names the hold, since the path is not signed: else one decision would do for any."""
    if secret is None:
        raise ApiError(403, "callback_off", "this server has no webhook secret, so it takes no callbacks")
    wrong = problem(headers, secret, body, now)
    if wrong is not None:
        raise ApiError(403, "callback_unsigned", wrong)
    document = read_json(body)
    if not isinstance(document, dict) or not _KEYS <= set(document) <= _KEYS | {"comment"}:
        raise _invalid("$", f"is not an object of {', '.join(sorted(_KEYS))} and, if you like, comment")
    if document["approval_id"] != approval:
        raise _invalid("$.approval_id", "is not the approval of the path")
    decision, by = document["decision"], document["by"]
    if not isinstance(decision, str) or decision not in _DECISIONS:
        raise _invalid("$.decision", f"is not one of {', '.join(_DECISIONS)}")
    if not isinstance(by, str):
        raise _invalid("$.by", "is not a string")
    return Callback(_DECISIONS[decision], by, read_comment(document.get("comment")))


def read_comment(comment: object) -> str | None:
    """Raises ApiError 422."""
    if comment is None or (isinstance(comment, str) and len(comment) <= LONGEST_COMMENT):
        return comment or None
    raise _invalid("$.comment", f"is no text of at most {LONGEST_COMMENT} characters")


def _invalid(path: str, message: str) -> ApiError:
    return ApiError(422, "invalid_decision", f"{path} {message}", path=path)
