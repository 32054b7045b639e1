"""The gate's question to the policy server, which counts budgets and knows approvals.

A call that the gate denies for certain is not asked about. Where the gate cannot know (a hold, a budget that
only a server counts), whatever is not the server's answer is a deny; where it allows the call, its own answer
stands then. It runs in the agent's sandbox, so it is Python 3.9 and imports the engine alone.
"""

from __future__ import annotations

import _thread
import os
import time

from policyc.engine.budgets import Within
from policyc.engine.dialects.lowering import lowered
from policyc.engine.documents import parse
from policyc.engine.one_call import decide_one
from policyc.hooks.gate_decision import look_around, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from policyc.engine.dialects.answers import Answer
    from policyc.engine.dialects.dialect import Dialect
    from policyc.engine.model import Call, Outcome
    from policyc.hooks.gate_decision import Server

#: Bytes of an answer; it may hold the arguments of the call.
MAX_ANSWER = 8 << 20
#: The environment variable with the agent's API key, for where no proxy adds it.
KEY = "POLICYC_KEY"
#: Bytes of the thread's stack: TLS and name resolution need more than the gate's other threads.
_STACK = 1 << 20
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def asked(
    event: bytes, plan: object, call: Call, outcome: Outcome, dialect: Dialect, server: Server
) -> Answer:
    """The answer for ``call``, whose local ``outcome`` is from ``plan``: the agent's deny where that is
    certain, else the server's to ``event``."""
    certain = _certain(outcome, plan, call, dialect)
    if certain.verdict == "deny":
        return said(certain, call, dialect)
    is_open = certain.verdict == "pending_approval" or not _lowered(outcome, dialect).allowed
    try:
        return _heard(_ask(event, *server), dialect)
    except Exception as error:
        if not is_open:
            return said(outcome, call, dialect)
        reason = f"{outcome.reason} (the policy server could not be asked: {error or type(error).__name__})"
        return said(outcome.changed("deny", reason, outcome.reason_code), call, dialect)


def _certain(outcome: Outcome, plan: object, call: Call, dialect: Dialect) -> Outcome:
    """``outcome``, or where it rests on a budget the one if none were exceeded: then a deny is one whatever a
    server counts."""
    found = _lowered(outcome, dialect)
    if found.allowed or found.reason_code != "budget_unknown":
        return found
    for part in call.parts:
        part.counted = Within()
    return _lowered(decide_one(plan, call, look_around), dialect)


def _lowered(outcome: Outcome, dialect: Dialect) -> Outcome:
    """As the agent's hook can say it; a hold stays one, since the server may know that it was approved."""
    return outcome if outcome.verdict == "pending_approval" else lowered(outcome, dialect)


def _heard(answer: bytes, dialect: Dialect) -> Answer:
    """The answer that the server gave. Raises ValueError where it is none of the agent's."""
    document = parse(answer)
    found = dialect.heard(document) if isinstance(document, dict) else None
    if found is None:
        raise ValueError(f"its answer is none for {dialect.name}")
    return found


def _ask(event: bytes, url: str, until: float) -> bytes:
    """What ``url`` answers. Raises an exception, at ``until`` at the latest: name resolution and a server
    that sends byte by byte know no timeout, so they are left behind in a thread."""
    done = _thread.allocate_lock()
    done.acquire()
    found: list[bytes | BaseException] = []

    def run() -> None:
        try:
            found.append(_post(event, url, until))
        except BaseException as error:
            found.append(error)
        done.release()

    _thread.stack_size(_STACK)
    _thread.start_new_thread(run, ())
    if not done.acquire(timeout=max(0.0, until - time.monotonic())):
        raise TimeoutError("it took too long")
    [answer] = found
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _post(event: bytes, url: str, until: float) -> bytes:
    from urllib.parse import urlsplit
    from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        """A redirect is no answer: the status is then an error."""

        def redirect_request(self, *_args: object) -> None:
            return None

    parts = urlsplit(url)
    is_local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if parts.scheme != "https" and not is_local:
        raise ValueError("its URL is not https")
    headers = {"Content-Type": "application/json"}
    key = os.environ.get(KEY)
    if key:
        headers["Authorization"] = f"Bearer {key}"
    opener = build_opener(Stay, *([ProxyHandler({})] if is_local else []))
    wait = max(0.001, until - time.monotonic())
    with opener.open(Request(url, event, headers, method="POST"), timeout=wait) as response:
        if response.status != 200:
            raise ValueError(f"it answered with status {response.status}")
        answer: bytes = response.read(MAX_ANSWER + 1)
    if len(answer) > MAX_ANSWER:
        raise ValueError(f"its answer has more than {MAX_ANSWER} bytes")
    return answer
