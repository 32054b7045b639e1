"""The same agent with its tools behind MCP: a blocked call comes back as the result of the tool."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator

import httpx2
from agent import Say
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from model import Story
from tools import FAMILIES

from policyc.stand_in.script import Text, ToolCall, Turn


class McpAgent:
    """One client for each MCP server, and the model's story to go on with."""

    def __init__(self, clients: dict[str, Client], story: Story, say: Say) -> None:
        self.ran: list[str] = []
        self._clients = clients
        self._story = story
        self._say = say
        self._next: Turn | None = next(story)

    async def offered(self) -> list[str]:
        """The tools that the servers list."""
        listed = {family: await client.list_tools() for family, client in self._clients.items()}
        return [f"{family}__{tool.name}" for family, found in listed.items() for tool in found.tools]

    async def work(self) -> None:
        """Goes on until the model makes no more calls."""
        while self._next is not None:
            turn = self._next
            said = [part.text for part in turn.parts if isinstance(part, Text)]
            self._say(f"model: {' '.join(said).strip()}")
            told = [await self._run(call) for call in turn.calls]
            self._next = self._after("\n".join(told))
            if not turn.calls:
                return

    def _after(self, told: str) -> Turn | None:
        with contextlib.suppress(StopIteration):
            return self._story.send(told)
        return None

    async def _run(self, call: ToolCall) -> str:
        family, _, name = call.name.partition("__")
        result = await self._clients[family].call_tool(name, json.loads(call.arguments))
        text = "".join(content.text for content in result.content)
        if not result.is_error:
            self.ran.append(call.name)
            self._say(f"  RAN {call.name} {call.arguments}: {text}")
        return text


@contextlib.asynccontextmanager
async def connected(url: str, key: str) -> AsyncIterator[dict[str, Client]]:
    """Clients of the MCP servers behind the policy server at ``url``, by family."""
    async with contextlib.AsyncExitStack() as stack:
        http = await stack.enter_async_context(
            httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=60)
        )
        yield {
            family: await stack.enter_async_context(
                Client(streamable_http_client(f"{url}/mcp/{family}", http_client=http))
            )
            for family in FAMILIES
        }
