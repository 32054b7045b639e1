"""Calls of a test file: defaults, fixtures and the keys of a test put together, and read as the engine reads
them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policyc.engine.calls import read_call
from policyc.engine.model import Call
from policyc.source.nodes import plain

#: The run of a call that names neither run, environment nor session.
OWN_RUN = "test"
_RUN_KEYS = ("run", "environment_id", "session")


def composed(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of later layers in place of those of earlier ones; ``fixture`` is resolved, not part of a call."""
    return {key: plain(value) for layer in layers for key, value in layer.items() if key != "fixture"}


def plain_call(document: Mapping[str, Any]) -> Call:
    """The call in ``document``, on the test's own run unless it says what it is on. Raises CallError."""
    call = read_call(document)
    if not any(key in document for key in _RUN_KEYS):
        _sign(call, run=OWN_RUN)
    return call


def payload_call(payload: Mapping[str, Any], defaults: Mapping[str, Any]) -> Call:
    """The call that an agent tells its hook of; who the agent is the evaluator knows by its key, and here by
    ``defaults``. Raises CallError."""
    call = read_call(payload)
    if call.agent is None:
        _sign(call, agent=defaults.get("agent"))
    if not any(getattr(call, key) for key in _RUN_KEYS):
        _sign(call, run=OWN_RUN)
    return call


def _sign(call: Call, **keys: str | None) -> None:
    for part in call.parts:
        for key, value in keys.items():
            setattr(part, key, value)
