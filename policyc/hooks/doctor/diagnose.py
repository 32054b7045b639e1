"""Every situation of a target, as a table."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from policyc.hooks.doctor.around import Around
from policyc.hooks.doctor.calls import Calls, Sample, choose
from policyc.hooks.doctor.endpoints import Endpoints
from policyc.hooks.doctor.local import Local
from policyc.hooks.doctor.rows import Row, Seen, Status
from policyc.hooks.doctor.sandbox import Managed
from policyc.hooks.doctor.situations import SITUATIONS, Bench, NotExercised, Situation
from policyc.hooks.doctor.subject import Subject
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import TARGETS, agent

_AT_ONCE: Final = 3
_BY_THE_AGENT: Final = (
    "; the agent asks the evaluator itself, which is not done here: no answer lets its calls run, and then "
    "the gate alone decides"
)


def diagnose(target: str, folder: Path) -> list[Row]:
    """What becomes of calls with the hooks of ``target`` that are in ``folder``. Takes as long as the longest
    timeout in them. Raises HooksError, also where there is nothing to run."""
    if target not in TARGETS:
        raise HooksError("unknown_target", f"{target!r} is not one of {', '.join(TARGETS)}")
    with tempfile.TemporaryDirectory(prefix="policyc-doctor-") as place, Endpoints() as endpoints:
        subject = _subject(target, folder.resolve(), Path(place))
        bench = Bench(subject, choose(subject, folder.resolve()), endpoints, Path(place))
        return [*_expected(bench), *_situations(bench)]


def _subject(target: str, folder: Path, place: Path) -> Subject:
    return Managed(folder, place) if target == "managed" else Local(agent(target), folder)


def _expected(bench: Bench) -> Iterator[Row]:
    """The calls of which the plan says what becomes of them."""
    calls = bench.calls
    yield _denied(bench, calls)
    if calls.problem:
        yield Row("passed", "a call that must pass", "broken", calls.problem, ("C16",))
    elif calls.passed is None:
        yield Row("passed", "a call that must pass", "not exercised", _no_call("permits"), ("C16",))
    else:
        yield _passed(bench, calls.passed)


def _no_call(does: str) -> str:
    return f"the policy {does} none of the calls that were tried"


def _denied(bench: Bench, calls: Calls) -> Row:
    what = "a call that must be denied"
    if calls.denied is None and not calls.problem:
        return Row("denied", what, "not exercised", _no_call("denies"), ("C17",))
    try:
        seen = bench.subject.see(Around(bench.stopped()))
    except NotExercised as error:
        return Row("denied", what, "not exercised", str(error), ("C17",))
    named = f"{what}: {calls.denied.what}" if calls.denied else what
    if seen.judgement == "blocked" and calls.problem:
        return Row("denied", named, "broken", f"every call is: {calls.problem}", ("C17",))
    return Row("denied", named, _status(seen), _why(seen), ("C17",))


def _passed(bench: Bench, sample: Sample) -> Row:
    seen = bench.subject.see(Around(json.dumps(sample.payload).encode()))
    status: Status = "closed" if seen.judgement == "ran" else "broken"
    return Row("passed", f"a call that must pass: {sample.what}", status, seen.how, ("C16",))


def _situations(bench: Bench) -> list[Row]:
    # Before the first process starts: one that begins while a program is written makes it busy.
    made = [(one, _around(bench, one)) for one in SITUATIONS]
    with ThreadPoolExecutor() as slow, ThreadPoolExecutor(_AT_ONCE) as quick:
        rows = [(slow if one.slow else quick).submit(_row, bench, one, around) for one, around in made]
        return [row.result() for row in rows]


def _around(bench: Bench, situation: Situation) -> Around | NotExercised:
    try:
        return situation.make(bench)
    except NotExercised as error:
        return error


def _row(bench: Bench, situation: Situation, around: Around | NotExercised) -> Row:
    if isinstance(around, NotExercised):
        return Row(situation.name, situation.what, "not exercised", str(around), situation.cases)
    seen = bench.subject.see(around)
    why = _why(seen, situation.limit)
    if around.evaluator is not None and bench.subject.name != "managed" and not bench.subject.asks_by_command:
        why += _BY_THE_AGENT
    return Row(situation.name, situation.what, _status(seen, situation.limit), why, situation.cases)


def _status(seen: Seen, limit: str = "") -> Status:
    if seen.judgement == "blocked":
        return "closed"
    return "cannot be closed" if limit and not seen.remedy else "open"


def _why(seen: Seen, limit: str = "") -> str:
    if seen.judgement == "blocked":
        return seen.how
    said = "the agent asks a person" if seen.judgement == "asked" else "the call runs"
    if seen.remedy:
        return f"{seen.how}: {said}; `{seen.remedy}` would stop it"
    return f"{seen.how}: {said}; {limit}" if limit else f"{seen.how}: {said}"
