"""Everything that goes wrong around a hook, one function per situation."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from policyc.hooks.doctor import stubs
from policyc.hooks.doctor.around import Around
from policyc.hooks.doctor.calls import Calls
from policyc.hooks.doctor.endpoints import Endpoints
from policyc.hooks.doctor.subject import Subject
from policyc.hooks.gate import MAX_EVENT

_BOM: Final = b"\xef\xbb\xbf"
_GARBAGE: Final = b'Welcome\n{"tool_name": '
_OWN_EVENTS: Final = "the plugin makes its events itself"
_NONE_DENIED: Final = (
    "the policy denies none of the calls that were tried, and the plugin makes its own events"
)


class NotExercised(Exception):
    """A situation that cannot be made here, and why."""


@dataclass(frozen=True)
class Bench:
    """What situations are made of. ``place`` is a folder of ours."""

    subject: Subject
    calls: Calls
    endpoints: Endpoints
    place: Path

    def stopped(self) -> bytes:
        """An event that must be stopped whatever else is wrong: a call that the policy denies, else one that
        nobody can read."""
        if self.calls.denied is not None:
            return _bytes(self.calls.denied.payload)
        if self.subject.own_events:
            raise NotExercised(_NONE_DENIED)
        return _GARBAGE


@dataclass(frozen=True)
class Situation:
    """``limit``: why an agent that reads failures as it does may leave this open, whatever its settings say;
    empty where nothing excuses it. ``slow``: it takes as long as a timeout."""

    name: str
    what: str
    make: Callable[[Bench], Around]
    cases: tuple[str, ...] = ()
    limit: str = ""
    slow: bool = False


def _bytes(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload).encode()


def _raw(event: bytes) -> Callable[[Bench], Around]:
    def make(bench: Bench) -> Around:
        if bench.subject.own_events:
            raise NotExercised(_OWN_EVENTS)
        return Around(event)

    return make


def _mark(bench: Bench) -> Around:
    if bench.subject.own_events:
        raise NotExercised(_OWN_EVENTS)
    return Around(_BOM + bench.stopped())


def _huge(bench: Bench) -> Around:
    return Around(_bytes(bench.subject.samples.pre("shell.exec", "x" * (MAX_EVENT + 1))))


def _unknown_mode(bench: Bench) -> Around:
    unknown, denied = bench.subject.samples.unknown_mode, bench.calls.denied
    if unknown is None:
        raise NotExercised("this agent sends no permission mode")
    if denied is None:
        raise NotExercised("the policy denies none of the calls that were tried")
    return Around(_bytes(unknown(denied.kind, denied.value)))


def _interpreter(kind: str) -> Callable[[Bench], Around]:
    return lambda bench: Around(bench.stopped(), env=stubs.interpreter(bench.place, kind))


def _profile(bench: Bench) -> Around:
    return Around(bench.stopped(), env=stubs.noisy_home(bench.place))


def _endless(bench: Bench) -> Around:
    if bench.subject.own_events:
        raise NotExercised(f"{_OWN_EVENTS}, and always ends them")
    return Around(_bytes(bench.subject.samples.pre("shell.exec", "true")), endless=True)


def _evaluator(port: Callable[[Endpoints], int]) -> Callable[[Bench], Around]:
    def make(bench: Bench) -> Around:
        if not bench.subject.asks:
            raise NotExercised("no evaluator is asked before a call")
        if not bench.subject.asks_by_command:
            return Around(bench.stopped(), evaluator=port(bench.endpoints))
        if bench.calls.passed is None:
            raise NotExercised("the gate denies every call that was tried, so the evaluator decides nothing")
        return Around(_bytes(bench.calls.passed.payload), evaluator=port(bench.endpoints))

    return make


_LOOKS_DONE: Final = (
    "this agent takes an exit code of 0 without its deny for an allow; an interpreter that is named by its "
    "path is not looked up on PATH"
)
_TOO_LATE: Final = (
    "this agent lets a call run when its hook is late; only the gate's own deadline comes before"
)
#: What must stop the call, each of them.
SITUATIONS: Final = (
    Situation("garbage", "an event that is no JSON", _raw(_GARBAGE)),
    Situation("empty", "an empty event", _raw(b"")),
    Situation("byte-order-mark", "a byte order mark before the event", _mark, ("C22",)),
    Situation("huge", "an event larger than 8 MiB", _huge),
    Situation("unknown-mode", "a permission mode that nobody knows", _unknown_mode),
    Situation("shell-profile", "a shell profile that prints", _profile, ("C14",)),
    Situation("python-stub", "a python3 on PATH that exits 49", _interpreter("exits 49"), ("C15",)),
    Situation("python-crash", "a python3 on PATH that crashes", _interpreter("crashes"), ("C08",)),
    Situation(
        "python-prints", "a python3 on PATH that prints and exits 0", _interpreter("prints"), (), _LOOKS_DONE
    ),
    Situation(
        "python-hangs", "a python3 on PATH that hangs", _interpreter("hangs"), ("C07",), _TOO_LATE, slow=True
    ),
    Situation("deadline", "the gate's deadline before the agent's timeout", _endless, ("C07",), slow=True),
    Situation("dead-evaluator", "a dead evaluator", _evaluator(lambda at: at.dead)),
    Situation("hanging-evaluator", "a hanging evaluator", _evaluator(lambda at: at.hanging), slow=True),
)
