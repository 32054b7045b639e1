"""Headers, sessions and streams of MCP over HTTP, part by part."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from policyc_server.mcp.caller import Caller
from policyc_server.mcp.http.answers import AnswerTooLarge, filtered_events, whole
from policyc_server.mcp.http.headers import of_arguments, repeat_arguments, settle, upward
from policyc_server.mcp.http.sessions import Sessions
from policyc_server.mcp.listing import Listing
from policyc_server.mcp.messages import Message, Refused, read_message, written
from policyc_server.mcp.pins import NoPins
from policyc_server.snapshot import Serving

SENT = [
    (b"Accept", b"application/json"),
    (b"Authorization", b"Bearer of the client"),
    (b"Cookie", b"c"),
    (b"Mcp-Name", b"get"),
    (b"Mcp-Param-Text", b"x"),
    (b"Last-Event-ID", b"4"),
]


def test_the_protocol_s_headers_go_up_and_no_credential_of_the_client() -> None:
    assert upward(SENT) == {"accept": "application/json", "mcp-name": "get", "last-event-id": "4"}
    assert repeat_arguments(SENT)
    assert not repeat_arguments(SENT[:4])
    with pytest.raises(Refused):
        upward([*SENT, (b"mcp-name", b"drop")])


def test_headers_that_name_a_call_go_up_where_the_revision_has_them() -> None:
    message = read_message(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get"}}')
    for version in ({}, {"mcp-protocol-version": "2025-11-25"}):
        headers = {"mcp-name": "drop", "mcp-method": "ping", "accept": "*/*", **version}
        settle(message, headers)
        assert headers == {"accept": "*/*", **version}
    with pytest.raises(Refused):
        settle(
            message, {"mcp-name": "drop", "mcp-method": "tools/call", "mcp-protocol-version": "2026-07-28"}
        )


def test_headers_repeat_the_arguments_that_were_judged() -> None:
    text = {"type": "string", "x-mcp-header": "Text"}
    tool = {"inputSchema": {"type": "object", "properties": {"text": text, "n": {"type": "integer"}}}}
    assert of_arguments(tool, {"text": "[redacted:email]", "n": 1}) == {"Mcp-Param-Text": "[redacted:email]"}
    assert of_arguments(tool, {}) == {}
    assert of_arguments(None, {"text": "x"}) == {}


def test_a_session_is_of_one_server_and_one_key() -> None:
    sessions = Sessions(b"secret")
    given = sessions.outward("crm", "one", "a.b")
    assert given.startswith("a.b.")
    assert sessions.inward("crm", "one", given) == "a.b"
    for server, key, text in (
        ("crm", "two", given),
        ("crm", None, given),
        ("erp", "one", given),
        ("crm", "one", "a.b"),
        ("crm", "one", ""),
        ("crm", "one", "a.c" + given[3:]),
    ):
        assert sessions.inward(server, key, text) is None
    assert Sessions(b"other").inward("crm", "one", given) is None
    assert sessions.run("crm", "one", "a.b") not in given


def run(stream: bytes, size: int, limit: int = 1000) -> bytes:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(stream), size):
            yield stream[start : start + size]

    async def filtered(message: Message) -> Message:
        result = message.document.get("result", {})
        return written({**message.document, "result": {"tools": []}}) if result.get("tools") else message

    async def collected() -> bytes:
        return b"".join([piece async for piece in filtered_events(pieces(), filtered, limit, 7)])

    return asyncio.run(collected())


PROGRESS = b'id: 3\nevent: message\nretry: 5\ndata: {"jsonrpc": "2.0", "method": "x"}\n\n: quiet\n\n'
TOOLS = b'{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"a"}]}}'
ESCAPED = TOOLS.replace(b"tools", b"\\u0074ools")


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_events_pass_as_they_came_but_for_lists(size: int) -> None:
    assert run(PROGRESS, size) == PROGRESS
    for listing in (TOOLS, ESCAPED):
        out = run(PROGRESS + b"id: 4\r\nevent: message\r\ndata: " + listing + b"\r\n\r\n" + PROGRESS, size)
        assert out.startswith(PROGRESS + b"id: 4\nevent: message\ndata: {")
        assert out.endswith(PROGRESS)
        (data,) = [line for line in out.splitlines() if b'"tools"' in line]
        assert json.loads(data.removeprefix(b"data: "))["result"] == {"tools": []}


@pytest.mark.parametrize("end", ["\v", "\f", "\x1c", "\x85", "\u2028"])
def test_no_list_hides_behind_what_some_readers_take_for_a_line_end(end: str) -> None:
    hidden = f"{end}data: {TOOLS.decode()}{end}"
    for field in ("", "id", "event", "retry"):
        out = run(f"{field}: x{hidden}\n\n".encode() + PROGRESS, 50)
        assert out == PROGRESS
        out = run(f"{field}: x{hidden}\ndata: ".encode() + TOOLS + b"\n\n", 50)
        assert [json.loads(line[6:])["result"] for line in out.splitlines() if line] == [{"tools": []}]
    if end > "\x20":
        data = '{"jsonrpc": "2.0", "method": "x", "params": {"a": "b' + end + 'c"}}'
        out = run(f"id: 3\ndata: {data}\n\n".encode(), 50)
        assert out.startswith(b"id: 3\ndata: ")
        assert json.loads(out.splitlines()[1][6:]) == json.loads(data)
        assert end not in out.decode()


def test_an_event_that_could_hide_a_list_is_an_error_of_its_request() -> None:
    twice = b'data: {"jsonrpc":"2.0","id":7,"result":{},"result":{"tools":[]}}\n\n'
    answer = json.loads(run(twice, 50).removeprefix(b"data: "))
    assert (answer["id"], answer["error"]["code"]) == (7, -32603)


def test_what_has_to_be_looked_at_is_bounded() -> None:
    with pytest.raises(AnswerTooLarge):
        run(b"data: " + b"x" * 2000, 100)

    async def pieces() -> AsyncIterator[bytes]:
        yield b"x" * 20

    with pytest.raises(AnswerTooLarge):
        asyncio.run(whole(pieces(), 10))
    assert asyncio.run(whole(pieces(), 20)) == b"x" * 20


@pytest.mark.parametrize("key", ["Tools", "TOOLS", "tool\u017f"])
def test_a_list_under_a_key_that_readers_without_case_take_is_an_error(key: str) -> None:
    result = {key: [{"name": "a", "inputSchema": {}}], "tools": []}
    message = read_message(json.dumps({"jsonrpc": "2.0", "id": 7, "result": result}).encode())
    found = asyncio.run(Listing(Serving(None), NoPins()).filtered(message, "crm", Caller()))
    assert (found.document["id"], found.document["error"]["code"]) == (7, -32603)
    seen = []

    async def noted(message: Message) -> Message:
        seen.append(message)
        return message

    async def streamed() -> None:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"data: " + json.dumps(message.document, ensure_ascii=False).encode() + b"\n\n"

        async for _ in filtered_events(pieces(), noted, 1000, 7):
            pass

    del message.document["result"]["tools"]
    asyncio.run(streamed())
    assert len(seen) == 1
