"""A streamed message: held, released, rewritten, noted, continued."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.gateway.sse import EventReader
from policyc_server.gateway.vendors.anthropic_messages import Messages
from policyc_server.gateway.vendors.vendor import Edit, Note, Rewrite, Stream, Unreadable, Usage

from policyc.stand_in.script import Item, Part, Text, Thought, ToolCall, turn
from server.gateway.vendors.driving import LATER, Driver, allow, sent

PATH = "/v1/messages"
NO = Note("no")
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}


def stream() -> Stream:
    return Messages().stream({}, is_metered=False)


def documents(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(event.data or "") for event in EventReader().feed(content)]


def message(content: bytes) -> dict[str, Any]:
    """What a client makes of the events."""
    blocks: list[dict[str, Any]] = []
    stop = None
    for one in documents(content):
        if one["type"] == "content_block_start":
            assert one["index"] == len(blocks)
            blocks.append({**one["content_block"], "json": ""})
        elif one["type"] == "content_block_delta":
            delta, block = one["delta"], blocks[one["index"]]
            if delta["type"] == "input_json_delta":
                block["json"] += delta["partial_json"]
            elif delta["type"] == "text_delta":
                block["text"] += delta["text"]
        elif one["type"] == "message_delta":
            stop = one["delta"]["stop_reason"]
    said = [
        (block["name"], json.loads(block["json"] or "{}") or block["input"])
        if "name" in block
        else block.get("text", block["type"])
        for block in blocks
    ]
    return {"said": said, "stop": stop}


def by_name(**edits: Edit | str) -> Any:
    return lambda call: edits.get(call.name)


PARTS = st.lists(
    st.one_of(
        st.builds(Text, st.text(min_size=1), st.integers(1, 3)),
        st.builds(ToolCall, st.sampled_from(["a", "b"]), st.just('{"x": [1, "é"]}'), st.integers(1, 5)),
        st.builds(Thought, st.text(min_size=1)),
    ),
    max_size=5,
)


@given(PARTS)
def test_what_is_allowed_is_byte_for_byte_what_came(parts: list[Part]) -> None:
    content = sent(PATH, turn(*parts))
    driver = Driver(stream(), allow).feed(content)
    assert driver.end() == content
    assert driver.ends == 1
    assert driver.stream.is_over
    assert [call.name for call in driver.calls] == [one.name for one in parts if isinstance(one, ToolCall)]


@given(PARTS, st.data())
def test_whatever_is_decided_the_client_gets_one_message_and_no_call_that_was_denied(
    parts: list[Part], data: st.DataObject
) -> None:
    choices = st.sampled_from([None, NO, LATER, Rewrite({"y": 2})])
    driver = Driver(stream(), lambda _call: data.draw(choices), finally_=NO).feed(sent(PATH, turn(*parts)))
    found = message(driver.end())
    released = [args for part in found["said"] if isinstance(part, tuple) for args in [part[1]]]
    denied = sum(1 for part in found["said"] if part == "no")
    assert len(released) + denied >= sum(isinstance(one, ToolCall) for one in parts)
    assert all(args in ({"x": [1, "é"]}, {"y": 2}) for args in released)
    assert (found["stop"] == "tool_use") is bool(released)


def test_a_call_is_a_step_when_its_block_ends() -> None:
    content = sent(PATH, turn(ToolCall("a"), "and then"))
    seen = stream()
    released = b""
    for event in EventReader().feed(content):
        for step in seen.feed(event):
            if isinstance(step, bytes):
                released += step
            elif hasattr(step, "key"):
                assert b"tool_use" not in released
                assert b"and" not in released


def test_the_next_answer_goes_on_in_the_same_message() -> None:
    driver = Driver(stream(), by_name(a=LATER)).feed(sent(PATH, turn("Hm.", ToolCall("a", '{"x": 1}'))))
    answer = driver.stream.answer()
    assert [block["type"] for block in answer["content"]] == ["text", "tool_use"]
    assert answer["content"][1]["input"] == {"x": 1}
    assert (answer["content"][0]["text"], answer["stop_reason"]) == ("Hm.", "tool_use")
    driver.stream.restart()
    driver.waiting.clear()
    first = b"".join(driver.released)
    driver.feed(sent(PATH, turn("Well.", ToolCall("b", '{"y": 1}')), number=2))
    content = driver.end()
    assert content.startswith(first)
    assert message(content) == {"said": ["Hm.", "Well.", ("b", {"y": 1})], "stop": "tool_use"}
    assert [one["type"] for one in documents(content)].count("message_start") == 1


def test_a_denied_hosted_call_goes_with_its_result() -> None:
    content = sent(PATH, turn(Item(SEARCH), Item(FOUND), "So."))
    assert Driver(stream(), allow).feed(content).end() == content
    found = message(Driver(stream(), by_name(web_search=NO)).feed(content).end())
    assert found["said"] == ["no", "So."]


def test_thoughts_keep_their_signature_for_the_next_request() -> None:
    driver = Driver(stream(), by_name(a=LATER)).feed(sent(PATH, turn(Thought("hm", "sig"), ToolCall("a"))))
    thinking = driver.stream.answer()["content"][0]
    assert (thinking["thinking"], thinking["signature"]) == ("hm", "sig")


def test_usage_is_that_of_the_start_and_of_the_end() -> None:
    driver = Driver(stream(), allow).feed(sent(PATH, turn("Hi", input_tokens=5, output_tokens=6)))
    assert driver.stream.usage == Usage(5, 6)


def event(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\n".encode() + b"data: " + msgspec.json.encode({"type": kind, **more}) + b"\n\n"


BLOCK = {"type": "tool_use", "id": "t", "name": "a", "input": {}}
START = event("content_block_start", index=0, content_block=BLOCK)
TEXT = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
STOP = event("content_block_stop", index=0)
MORE = event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": "{}"})


@pytest.mark.parametrize(
    "content",
    [
        START + START,
        MORE,
        STOP,
        TEXT + MORE,
        START + event("message_stop"),
        b"event: ping\ndata: " + msgspec.json.encode({"type": "content_block_start"}) + b"\n\n",
        event("shiny_start", index=0, content_block=BLOCK),
        event("message_start", message={"content": [BLOCK]}),
        event("content_block_start", content_block=BLOCK),
        b"data: {\n\n",
    ],
)
def test_what_the_api_would_not_send_is_not_passed_on(content: bytes) -> None:
    with pytest.raises(Unreadable):
        Driver(stream(), allow).feed(content)


def test_arguments_in_two_places_cannot_be_read() -> None:
    start = event("content_block_start", index=0, content_block={**BLOCK, "input": {"a": 1}})
    (call,) = Driver(stream(), allow).feed(start + MORE + STOP).calls
    assert call.raw is None
    (call,) = Driver(stream(), allow).feed(start + STOP).calls
    assert call.raw == {"a": 1}


def test_an_error_drops_what_is_held() -> None:
    error = event("error", error={"type": "overloaded_error"})
    driver = Driver(stream(), allow).feed(START + MORE + error)
    assert b"".join(driver.released) == error
    assert driver.stream.is_over


def test_pings_and_events_without_content_pass() -> None:
    content = event("ping") + b": comment\n\n" + event("news", about="nothing")
    assert b"".join(Driver(stream(), allow).feed(content).released) == content


def test_a_call_without_an_id_takes_nothing_else_with_it() -> None:
    nameless = {key: value for key, value in BLOCK.items() if key != "id"}
    start = event("content_block_start", index=0, content_block=nameless)
    rest = event("content_block_start", index=1, content_block={"type": "text", "text": "still here"})
    driver = Driver(stream(), lambda _call: NO).feed(start + STOP + rest)
    assert b"still here" in b"".join(driver.released)
