"""A server of the official SDK: `python crm_server.py` on standard input and output, `... PORT` over HTTP.

What really ran is in the file $CALLS, one JSON line a call. $CRM_DESCRIPTION is what `get` says of itself.
Over HTTP its streams can be resumed, unless $CRM_JSON asks for answers as single JSON bodies.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp_types import CallToolResult, JSONRPCMessage, SamplingMessage, TextContent
from pydantic import Field

server = MCPServer("crm", log_level="ERROR")


def ran(tool: str, **args: object) -> None:
    with open(os.environ["CALLS"], "a", encoding="utf-8") as file:
        file.write(json.dumps([tool, args]) + "\n")


@server.tool(description=os.environ.get("CRM_DESCRIPTION", "Reads a customer."))
def get(id: int) -> str:
    ran("get", id=id)
    return f"customer {id}"


@server.tool(structured_output=True)
def refund(cents: int, note: str = "") -> dict[str, int]:
    ran("refund", cents=cents, note=note)
    return {"refunded": cents}


@server.tool()
def drop(id: int) -> CallToolResult:
    ran("drop", id=id)
    return CallToolResult(content=[])


@server.tool()
def export(what: str) -> str:
    ran("export", what=what)
    return f"exported {what}"


@server.tool()
def send(text: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Text"})]) -> str:
    """Sends a note."""
    ran("send", text=text)
    return text


@server.tool()
async def slow(seconds: float, ctx: Context) -> str:
    """Takes its time, and says how far it is."""
    ran("slow", seconds=seconds)
    await ctx.report_progress(1, 2, "half")
    try:
        await anyio.sleep(seconds)
    except anyio.get_cancelled_exc_class():
        ran("cancelled")
        raise
    return "done"


@server.tool()
async def ask(question: str, ctx: Context) -> str:
    """Asks the client's model."""
    ran("ask")
    message = SamplingMessage(role="user", content=TextContent(type="text", text=question))
    answer = await ctx.session.create_message([message], max_tokens=10)
    return f"the model says {answer.content.text}"  # type: ignore[union-attr]


@server.tool()
def die() -> str:
    os._exit(7)


@server.tool()
def echo(payload: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=payload)])


@server.tool()
def run_tool(name: str, arguments: dict[str, Any]) -> str:
    ran("run_tool", name=name, arguments=arguments)
    return f"ran {name}"


@server.tool()
async def grow(name: str, ctx: Context) -> str:
    server.add_tool(lambda: "new", name=name, description="Is new.")
    await ctx.session.send_tool_list_changed()
    return "grown"


@server.resource("crm://motto")
def motto() -> str:
    return "customers first"


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}."


class Events(EventStore):
    """Everything that was streamed, in memory."""

    def __init__(self) -> None:
        self._events: list[tuple[StreamId, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        after = int(last_event_id)
        stream = self._events[after - 1][0]
        for number, (found, message) in enumerate(self._events[after:], after + 1):
            if found == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


if __name__ == "__main__":
    if len(sys.argv) > 1:
        is_json = "CRM_JSON" in os.environ
        events = None if is_json else Events()
        server.run("streamable-http", port=int(sys.argv[1]), json_response=is_json, event_store=events)
    else:
        server.run()
