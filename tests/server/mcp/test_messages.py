"""Messages are read one way, and what could be read in two is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.mcp.messages import Refused, called, error_message, read_message, with_arguments, written


def request(**changes: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", **changes}).encode()


def test_a_message_is_passed_on_as_it_came() -> None:
    raw = (
        b' {"jsonrpc": "2.0", "id":"a", "method":"x/y", "params": {"n": 1.10, "big": 12345678901234567890}}\r'
    )
    message = read_message(raw)
    assert message.text == raw.decode().strip()
    assert (message.id, message.method, message.is_request) == ("a", "x/y", True)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"jsonrpc":"2.0",\r"method":"notifications/x"}',
        '\ufeff{"jsonrpc":"2.0","method":"notifications/x"}'.encode(),
        b'{"jsonrpc":"2.0","method":"notifications/\\u0078"}',
    ],
)
def test_what_readers_may_take_otherwise_is_passed_on_as_it_was_read(raw: bytes) -> None:
    message = read_message(raw)
    assert json.loads(message.text) == {"jsonrpc": "2.0", "method": "notifications/x"}
    assert "\r" not in message.text
    assert message.text.isascii()


@given(st.text(alphabet=' \t\r"{}:,\\u0061ab1[]', max_size=40))
def test_no_line_hides_in_a_message(text: str) -> None:
    try:
        message = read_message(request(params={}).replace(b"{}", b'{"x":' + text.encode() + b"}"))
    except Refused:
        return
    assert len(message.text.splitlines()) == 1


@pytest.mark.parametrize(
    "document",
    [
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": True, "method": "x"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "x"},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": "x", "params": [1]},
        {"jsonrpc": "2.0", "id": 1, "method": "x", "result": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
        {"jsonrpc": "2.0", "result": {}},
        {"jsonrpc": "2.0", "ID": 1, "method": "x"},
        {"jsonrpc": "1.0", "id": 1, "method": "x"},
    ],
)
def test_what_is_no_message_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read_message(json.dumps(document).encode())


def test_a_response_may_be_an_error_without_an_id() -> None:
    assert read_message(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}').method is None


def test_a_call_has_a_tool_and_arguments() -> None:
    params = {"name": "get", "arguments": {"id": 1}, "_meta": {"progressToken": 1}, "task": {}}
    message = read_message(request(method="tools/call", params=params))
    assert called(message) == ("get", {"id": 1})
    changed = with_arguments(message, {"id": 2})
    assert changed.document["params"] == {**params, "arguments": {"id": 2}}
    assert json.loads(changed.text) == changed.document
    assert called(read_message(request(method="tools/call", params={"name": "get", "arguments": None})))
    assert called(read_message(request())) is None


@pytest.mark.parametrize(
    "params",
    [None, {}, {"name": ""}, {"name": 1}, {"name": "x", "arguments": "y"}, {"name": "x", "Arguments": {}}],
)
def test_a_call_that_does_not_say_what_it_calls_is_refused(params: Any) -> None:
    with pytest.raises(Refused) as refused:
        called(read_message(request(method="tools/call", params=params)))
    assert (refused.value.code, refused.value.id) == (-32602, read_message(request()).id)


def test_an_error_names_its_request() -> None:
    with pytest.raises(Refused) as refused:
        read_message(request(id="a", params=[1]))
    assert error_message(refused.value)["id"] == "a"
    assert "data" not in error_message(refused.value)["error"]
    more = Refused(1, "m", None, {"supported": []})
    assert error_message(more) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": 1, "message": "m", "data": {"supported": []}},
    }


def test_a_message_of_our_own_is_one_line() -> None:
    assert written({"a": "\u2028\n"}).text == '{"a": "\\u2028\\n"}'
