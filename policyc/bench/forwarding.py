"""What the LLM gateway adds to a request: the stand-in upstream asked through it, and directly.

Both take turns, for an answer in one piece and for a streamed one. The answer has a text and one call, which
is allowed; the request offers its tool, which is judged too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from policyc.bench.endpoints import Endpoint
from policyc.bench.load import Request
from policyc.bench.processes import EVALUATOR, UPSTREAM, serving
from policyc.bench.serving import ServingFigures, measure, write_artifact
from policyc.bench.sources import other_calls

_PATH = "/v1/chat/completions"
_EDITION = 1
WHOLE, STREAMED = "whole", "streamed"


@dataclass(frozen=True)
class ForwardingFigures:
    """One kind of answer under one load."""

    answer: str
    direct: ServingFigures
    gateway: ServingFigures

    @property
    def added_us(self) -> float:
        """Microseconds that the gateway adds to a request, at the median."""
        return self.gateway.p50_us - self.direct.p50_us

    @property
    def failures(self) -> dict[str, int]:
        return {**self.direct.failures, **self.gateway.failures}


def measure_forwarding(
    folder: Path, *, files: int, rules: int, connections: Sequence[int], turns: int, seconds: float
) -> list[ForwardingFigures]:
    """The figures for each number of ``connections`` and each kind of answer. ``folder`` is new."""
    artifact = write_artifact(folder, files, rules, _EDITION)
    (call,) = other_calls(files, rules, 1)
    with _served(artifact, folder, call["tool"], json.dumps(call["args"])) as ports:
        return [
            ForwardingFigures(
                answer, *measure(_endpoints(ports, call["tool"], answer), count, turns, seconds)
            )
            for count in connections
            for answer in (WHOLE, STREAMED)
        ]


@contextmanager
def _served(artifact: Path, folder: Path, tool: str, arguments: str) -> Iterator[tuple[int, int]]:
    """The ports of the stand-in, and of the gateway before it."""
    settings = folder.with_name(f"{folder.name}.settings.yaml")
    with serving(UPSTREAM, artifact, "--tool", tool, "--arguments", arguments) as upstream:
        entry = {"kind": "openai", "base_url": f"http://127.0.0.1:{upstream.port}"}
        settings.write_text(json.dumps({"upstreams": {"bench": entry}}))
        with serving(EVALUATOR, artifact, "--settings", str(settings)) as gateway:
            yield upstream.port, gateway.port


def _endpoints(ports: tuple[int, int], tool: str, answer: str) -> list[Endpoint]:
    body = json.dumps(
        {
            "model": "bench",
            "stream": answer == STREAMED,
            "messages": [{"role": "user", "content": "Please look it up."}],
            "tools": [{"type": "function", "function": {"name": tool, "parameters": {"type": "object"}}}],
        }
    )
    contains = "[DONE]" if answer == STREAMED else tool
    return [
        Endpoint(name, port, (Request(f"{prefix}{_PATH}", body, 200, contains),))
        for name, port, prefix in (("directly", ports[0], ""), ("gateway", ports[1], "/gateway/bench"))
    ]
