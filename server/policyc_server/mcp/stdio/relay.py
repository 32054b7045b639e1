"""Passes messages between a client and the wrapped server, and judges calls on the way."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress

from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST

from policyc.engine.model import Call
from policyc_server.mcp.caller import Caller
from policyc_server.mcp.firewall import Firewall
from policyc_server.mcp.messages import Message, Refused, error_message, failure, read_message, written
from policyc_server.mcp.stdio.child import GRACE, Child, ChildGone
from policyc_server.mcp.stdio.client import Client
from policyc_server.mcp.stdio.lines import TooLong

_log = logging.getLogger(__name__)


class Relay:
    """One session. Messages of the client are handled one after another, so that a cancellation never
    overtakes the call that it is about; the server works on as many calls as it likes."""

    def __init__(self, server: str, client: Client, child: Child, firewall: Firewall, caller: Caller) -> None:
        self._server = server
        self._client = client
        self._child = child
        self._firewall = firewall
        self._caller = caller
        self._unanswered: dict[object, Call | None] = {}

    async def run(self, stopping: asyncio.Event) -> int | None:
        """Until client or server end, or ``stopping`` is set.

        Returns the exit code of a server that ended by itself; None where it had to be ended."""
        up, down = asyncio.create_task(self._from_client()), asyncio.create_task(self._from_child())
        stop = asyncio.create_task(stopping.wait())
        await asyncio.wait({up, down, stop}, return_when=asyncio.FIRST_COMPLETED)
        is_first = down.done()
        if not is_first:
            await self._child.close_input()
            await asyncio.wait({down}, timeout=GRACE)
        # A server that closes its output is about to end.
        has_ended = await self._child.has_ended(GRACE if down.done() else 0)
        await self._child.end()
        await asyncio.wait({down}, timeout=GRACE)
        await self._give_up()
        await _ended(up, down, stop)
        return self._child.exit_code if is_first or has_ended else None

    async def _from_client(self) -> None:
        try:
            async for raw in self._client.lines():
                await self._up(raw)
        except TooLong as error:
            await self._say(written(failure(None, INVALID_REQUEST, f"{error}; the session ends")))
        except ChildGone:
            pass
        except OSError as error:
            _log.warning("the client reads no more: %s", error)

    async def _up(self, raw: bytes) -> None:
        try:
            judged = await self._firewall.judge.judged(read_message(raw), self._server, self._caller)
        except Refused as error:
            await self._say(written(error_message(error)))
            return
        if judged.forward is None:
            assert judged.answer is not None
            await self._say(judged.answer)
            return
        if judged.forward.is_request:
            self._unanswered[judged.forward.id] = judged.call
        await self._child.send(judged.forward.text)

    async def _from_child(self) -> None:
        try:
            async for raw in self._child.lines():
                await self._down(raw)
        except TooLong as error:
            _log.error("%s: %s; the session ends", self._server, error)
        except OSError as error:
            _log.warning("the client reads no more: %s", error)

    async def _down(self, raw: bytes) -> None:
        message: Message | None
        try:
            message = read_message(raw)
        except Refused as error:
            _log.warning("%s: a message is not passed on: %s", self._server, error.message)
            message = self._in_place_of(raw)
        if message is None:
            return
        if message.method is None:
            call = self._unanswered.pop(message.id, None)
            if call is not None:
                self._firewall.judge.ended(call, message)
        await self._say(await self._firewall.listing.filtered(message, self._server, self._caller))

    def _in_place_of(self, raw: bytes) -> Message | None:
        """The error that a client gets where the answer it waits for cannot be passed on."""
        try:
            document = json.loads(raw)
        except ValueError:
            return None
        request = document.get("id") if isinstance(document, dict) else None
        if not isinstance(request, str | int) or request not in self._unanswered or "method" in document:
            return None
        return written(failure(request, INTERNAL_ERROR, "the server's answer is not one well-formed message"))

    async def _say(self, message: Message) -> None:
        await self._client.send(message.text)

    async def _give_up(self) -> None:
        """Answers what the server will answer no more."""
        said = f"the MCP server {self._server!r} {self._child.ending}"
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(GRACE):
                for request in self._unanswered:
                    await self._say(written(failure(request, CONNECTION_CLOSED, said)))


async def _ended(*tasks: asyncio.Task[object]) -> None:
    """Ends what still runs, and says what none of them should have ended with."""
    for task in tasks:
        task.cancel()
    for found in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(found, Exception):
            _log.error("the session ended by a fault", exc_info=found)
