"""One inspected request: the tools it offers are judged, then the calls of what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx
from starlette.types import Send

from policyc.engine.model import Call
from policyc_server.errors import ApiError
from policyc_server.gateway.asking import Asking
from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.headers import Headers
from policyc_server.gateway.judging import Judge, Judged
from policyc_server.gateway.metering import Meter, estimated
from policyc_server.gateway.vendors.vendor import Api, Document, Note, ToolCall, Unreadable, Usage
from policyc_server.settings_file.upstream import STRIP, Upstream

#: Clients retry a 4xx or not by this header.
NO_RETRY = (b"x-should-retry", b"false")
STRIPPED = b"x-policyc-stripped-tools"
_TIMEOUT = 504


@dataclass(frozen=True)
class Target:
    """Where a request goes, and with which headers."""

    method: str
    path: bytes
    headers: Headers


@dataclass(frozen=True)
class Exchange:
    """What every answer to one request needs. ``call`` is of no tool: it says who asks, for which run."""

    upstream: Upstream
    api: Api
    asking: Asking
    judge: Judge
    meter: Meter
    target: Target
    call: Call
    model: str

    @property
    def is_metered(self) -> bool:
        return self.meter.measures(self.call)

    async def ask(self, body: bytes) -> httpx.Response:
        """Asks upstream. Raises ApiError 502 and 504. A question that nobody waited for costs as well."""
        target = self.target
        try:
            return await self.asking.send(target.method, target.path, target.headers, body)
        except asyncio.CancelledError:
            await self.charge(None, len(body), 0)
            raise
        except ApiError as error:
            if error.status == _TIMEOUT:
                await self.charge(None, len(body), 0)
            raise

    async def charge(self, usage: Usage | None, asked: int, answered: int) -> None:
        """Adds the cost of one answer to its run, by the bytes of both where it does not say its usage."""
        if self.is_metered:
            await self.meter.add(self.call, self.model, usage or estimated(asked, answered))


@dataclass(frozen=True)
class Offer:
    """A request that may go upstream: as its client wrote it, without what was taken out of it."""

    request: Document
    body: bytes
    headers: Headers


async def offered(exchange: Exchange, request: Document, body: bytes) -> Offer:
    """The request with the tools that may be offered. Raises ApiError 400."""
    judged = [(tool, await exchange.judge.offered(tool)) for tool in exchange.api.tools(request)]
    denied = [(tool, one) for tool, one in judged if not one.passes]
    headers: Headers = []
    left = request
    if denied:
        if exchange.upstream.on_denied_tool != STRIP:
            raise blocked(denied[0][1], [tool.name for tool, _ in denied])
        names = dict.fromkeys(tool.name for tool, _ in denied)
        left = exchange.api.without(request, frozenset(names))
        headers = [(STRIPPED, ",".join(quote(name[:200], safe="") for name in names).encode())]
    outgoing = exchange.api.outgoing(left, is_metered=exchange.is_metered)
    return Offer(outgoing, body if outgoing is request else write_answer(outgoing), headers)


def blocked(first: Judged, names: list[str]) -> ApiError:
    """400 for a request that offers a tool which is denied or held."""
    outcome, approval = first.outcome, first.approval
    metadata: Document = {
        "rule": outcome.rule,
        "policy": outcome.policy,
        "reason_code": outcome.reason_code,
        "risk_factors": list(outcome.risk_factors),
        "decision_id": first.decision_id,
        "revision": first.revision,
        "tools": names,
    }
    code = "firewall_blocked"
    if approval is not None:
        code = "firewall_approval_pending"
        metadata["approval_id"] = approval.id
    return ApiError(400, code, first.text, metadata=metadata, headers=(NO_RETRY,))


@dataclass
class Turn:
    """The calls of one answer as they were decided, in their order."""

    passed: list[ToolCall]
    blocked: list[tuple[ToolCall, Judged]]

    def can_go_on(self, *, is_single: bool) -> bool:
        """Whether the model may be told of what was blocked and asked again: no call of the turn is the
        client's, and none that was blocked has run already."""
        if not is_single or any(not call.is_hosted for call in self.passed):
            return False
        return not any(call.is_hosted for call, _ in self.blocked)

    def errors(self) -> dict[Any, str]:
        """What the model is told of each blocked call."""
        return {call.key: judged.text for call, judged in self.blocked}

    def notes(self) -> dict[Any, Note]:
        """What stands in place of each blocked call."""
        return {call.key: Note(judged.text) for call, judged in self.blocked}


def unreadable(error: Unreadable) -> ApiError:
    return ApiError(502, "upstream_unreadable", f"the answer of the LLM API cannot be inspected: {error}")


async def send_start(send: Send, status: int, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def send_piece(send: Send, piece: bytes, *, is_last: bool = False) -> None:
    await send({"type": "http.response.body", "body": piece, "more_body": not is_last})


def is_stream(headers: Mapping[str, str]) -> bool:
    """Whether an answer comes as events."""
    kind: str = headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower() == "text/event-stream"
