"""A surviving mutant as the test that would kill it: an entry of ``tests:``, ready to paste."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from policyc.engine.calls import read_call
from policyc.engine.decision import arguments
from policyc.testing.mutation.judging import Judged, Survival


def entry_of(judged: Judged) -> dict[str, Any]:
    """The test as data, in the order of its keys."""
    survival = judged.survival
    assert survival is not None
    named = {"policy": survival.policy} if survival.named else {}
    return {"name": _name(judged), **named, "call": survival.call, "expect": expected(survival)}


def expected(survival: Survival) -> dict[str, Any]:
    """What the call comes to before the change, as far as the change is about it."""
    before, after = survival.before, survival.after
    expect: dict[str, Any] = {"verdict": before.verdict, "rule": before.rule}
    if before.would_be != after.would_be:
        expect["would_be"] = before.would_be
    if before.verdict == after.verdict == "sanitize":
        expect["args"] = arguments(before, read_call(survival.call))
    return expect


def entry_lines(judged: Judged) -> Iterator[str]:
    """The test as YAML, whose values are written as JSON on one line each."""
    for number, (key, value) in enumerate(entry_of(judged).items()):
        yield f"{'  ' if number else '- '}{key}: {json.dumps(value)}"


def _name(judged: Judged) -> str:
    rule = judged.mutant.rule
    return f"{'the default' if rule is None else rule}: {judged.mutant.what}"
