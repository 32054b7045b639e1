"""The endpoints that are measured, and what each is sent: calls that pass and calls that do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policyc.bench.load import Request
from policyc.bench.processes import EVALUATOR, NO_OP, serving
from policyc.bench.sources import other_calls, probe, verdict_of

BASELINE = "no-op app"
_CALLS = 200


@dataclass(frozen=True)
class Endpoint:
    """Something that is measured by sending ``requests``, one after another and over again, to ``port``."""

    name: str
    port: int
    requests: tuple[Request, ...]


@contextmanager
def endpoints(artifact: Path, *, files: int, rules: int, edition: int) -> Iterator[list[Endpoint]]:
    """The no-op app and the decision endpoints, all serving ``artifact``, which denies the probe."""
    pairs = _pairs(files, rules, edition)
    with ExitStack() as servers:
        no_op = servers.enter_context(serving(NO_OP, artifact)).port
        evaluator = servers.enter_context(serving(EVALUATOR, artifact)).port
        yield [
            Endpoint(BASELINE, no_op, _alternating("/v1/evaluate", pairs, (200, "{}"), (200, "{}"))),
            Endpoint("/v1/evaluate", evaluator, _evaluations(pairs)),
            Endpoint(
                "/v1/enforce",
                evaluator,
                _alternating("/v1/enforce", pairs, (200, '"verdict":"allow"'), (400, '"firewall_blocked"')),
            ),
            Endpoint(
                "/v1/hooks/pre_tool_execution",
                evaluator,
                _alternating(
                    "/v1/hooks/pre_tool_execution",
                    [(_event(call), _event(stop)) for call, stop in pairs],
                    (200, '"decision":"allow"'),
                    (200, '"decision":"deny"'),
                ),
            ),
        ]


@contextmanager
def keeping_endpoints(
    artifact: Path, folder: Path, *, files: int, rules: int, edition: int, workers: int
) -> Iterator[list[Endpoint]]:
    """The decision endpoint of three servers: without a store, with one in ``folder``, and with workers on
    one."""
    requests = _evaluations(_pairs(files, rules, edition))
    kinds: dict[str, tuple[str, ...]] = {
        "events off": (),
        "events on": ("--state", str(folder / "one")),
        f"events on, {workers} workers": ("--state", str(folder / "group"), "--workers", str(workers)),
    }
    with ExitStack() as servers:
        yield [
            Endpoint(name, servers.enter_context(serving(EVALUATOR, artifact, *options)).port, requests)
            for name, options in kinds.items()
        ]


_Pairs = list[tuple[dict[str, Any], dict[str, Any]]]


def _pairs(files: int, rules: int, edition: int) -> _Pairs:
    assert verdict_of(edition) == "deny"
    calls = other_calls(files, rules, _CALLS // 2)
    stopped = [probe(number) for number in range(len(calls))]
    return list(zip(calls, stopped, strict=True))


def _evaluations(pairs: _Pairs) -> tuple[Request, ...]:
    return _alternating("/v1/evaluate", pairs, (200, '"verdict":"allow"'), (200, '"verdict":"deny"'))


def _event(call: dict[str, Any]) -> dict[str, Any]:
    """``call`` as the managed agent's hook sends it."""
    return {"tool_call": {"name": call["tool"], "args": call["args"]}, "environment_id": "env_bench"}


def _alternating(
    path: str,
    pairs: _Pairs,
    passed: tuple[int, str],
    stopped: tuple[int, str],
) -> tuple[Request, ...]:
    return tuple(
        Request(path, json.dumps(call, separators=(",", ":")), *expected)
        for pair in pairs
        for call, expected in zip(pair, (passed, stopped), strict=True)
    )
