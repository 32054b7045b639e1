"""Answers as events: text at once, calls once they are complete and decided, nothing undecided ever."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from server.gateway.running import (
    DONE,
    Gateway,
    RawUpstream,
    answer,
    call_chunk,
    chat_request,
    chunk,
    completion,
    stream,
)

Before = Callable[..., Gateway]
START = chunk({"role": "assistant", "content": ""})
TEXT = chunk({"content": "Let me see."})
END = chunk({}, "tool_calls")
STOP = chunk({}, "stop")


def called(name: str, *arguments: str, index: int = 0) -> bytes:
    first = call_chunk(index, id=f"call_{index}", name=name)
    return first + b"".join(call_chunk(index, piece) for piece in arguments)


MESSAGE = (
    b'data: {"choices": [{"index": 0, "message": {"tool_calls": [{"function": {"name": "crm.get"}}]}}]}\n\n'
)
GET = called("crm.get", '{"id"', ": 7}")
DROP = called("db.drop", "{", "}")


class Reading:
    """The answer as it comes."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._pieces = response.iter_raw()
        self.content = b""

    def until(self, wanted: bytes) -> None:
        while wanted not in self.content:
            self.content += next(self._pieces)

    def rest(self) -> bytes:
        for piece in self._pieces:
            self.content += piece
        return self.content


@contextmanager
def streaming(gateway: Gateway, *tools: str, **more: Any) -> Iterator[Reading]:
    document = chat_request(*tools, stream=True, **more)
    with gateway.client.stream("POST", "/gateway/up/v1/chat/completions", json=document) as response:
        assert response.status_code == 200
        yield Reading(response)


def whole(gateway: Gateway, *tools: str, **more: Any) -> bytes:
    with streaming(gateway, *tools, **more) as reading:
        return reading.rest()


def deltas(content: bytes) -> list[dict[str, Any]]:
    lines = [line.removeprefix(b"data: ") for line in content.split(b"\n") if line.startswith(b"data: {")]
    return [choice["delta"] for line in lines for choice in json.loads(line).get("choices", ())]


def text(content: bytes) -> str:
    return "".join(delta.get("content") or "" for delta in deltas(content))


def calls(content: bytes) -> list[str]:
    parts = [part for delta in deltas(content) for part in delta.get("tool_calls", ())]
    return [part["function"]["name"] for part in parts if part["function"].get("name")]


def test_what_is_allowed_is_byte_for_byte_what_upstream_sent(before: Before) -> None:
    pieces = [b": hi\n\n", START, TEXT, GET, called("crm.list", index=1), END, DONE]
    body = b"".join(pieces)
    # Cut where it suits nobody.
    cut = [body[at : at + 37] for at in range(0, len(body), 37)]
    assert whole(before(RawUpstream(stream(*cut))), "crm.get") == body


def test_text_flows_while_the_answer_is_still_coming(before: Before) -> None:
    later = threading.Event()
    upstream = RawUpstream(stream(START, TEXT, later, STOP, DONE))
    with streaming(before(upstream)) as reading:
        reading.until(TEXT)
        later.set()
        assert reading.rest() == START + TEXT + STOP + DONE


def test_a_call_is_held_until_it_is_complete_and_then_released_before_the_end(before: Before) -> None:
    first, second = threading.Event(), threading.Event()
    upstream = RawUpstream(stream(START, GET, TEXT, first, called("crm.list", index=1), second, END, DONE))
    with streaming(before(upstream), "crm.get") as reading:
        reading.until(TEXT)
        assert b"crm.get" not in reading.content
        first.set()
        reading.until(GET)
        assert b"crm.list" not in reading.content
        second.set()
        assert calls(reading.rest()) == ["crm.get", "crm.list"]


def test_a_blocked_call_is_followed_by_what_the_model_says_next(before: Before) -> None:
    second = chunk({"role": "assistant", "content": "I will not."})
    upstream = RawUpstream(stream(START, TEXT, DROP, END, DONE), stream(second, STOP, DONE))
    content = whole(before(upstream), "db.drop")
    assert text(content) == "Let me see.\n\nI will not."
    assert calls(content) == []
    assert content.count(b"[DONE]") == 1
    assert content.count(b'"role"') == 1
    assert b'"tool_calls"' not in content
    again = upstream.documents()[1]
    turn, result = again["messages"][-2:]
    assert turn["content"] == "Let me see."
    assert turn["tool_calls"][0]["function"] == {"name": "db.drop", "arguments": "{}"}
    assert "Never." in result["content"]
    assert again["stream"] is True


def test_rounds_end_with_a_refusal(before: Before) -> None:
    turns = [stream(START, DROP, END, DONE) for _ in range(3)]
    upstream = RawUpstream(*turns)
    content = whole(before(upstream), "db.drop")
    assert text(content).startswith('tool "db.drop" blocked by firewall: Never.')
    assert b'"finish_reason":"stop"' in content
    assert len(upstream.requests) == 3


@pytest.mark.parametrize("order", [("db.drop", "crm.get"), ("crm.get", "db.drop")])
def test_a_mixed_turn_releases_one_call_and_notes_the_other(before: Before, order: tuple[str, str]) -> None:
    parts = [called(name, "{}", index=index) for index, name in enumerate(order)]
    upstream = RawUpstream(stream(START, *parts, END, DONE))
    content = whole(before(upstream), *order)
    assert calls(content) == ["crm.get"]
    released = [part for delta in deltas(content) for part in delta.get("tool_calls", ())]
    assert {part["index"] for part in released} == {0}
    assert "blocked by firewall: Never." in text(content)
    assert b'"finish_reason": "tool_calls"' in content
    assert len(upstream.requests) == 1


def test_sanitize_rewrites_a_streamed_call(before: Before) -> None:
    mail = called("mail.send", '{"to": "ann@ex', 'ample.com"}')
    content = whole(before(RawUpstream(stream(START, mail, END, DONE))), "mail.send")
    (part,) = [part for delta in deltas(content) for part in delta.get("tool_calls", ())]
    assert json.loads(part["function"]["arguments"]) == {"to": "[redacted:email]"}
    assert (part["id"], part["function"]["name"]) == ("call_0", "mail.send")


@pytest.mark.parametrize("pieces", [['{"a": 1, "a"', ": 2}"], ["{"], ["NaN"], ["[]"]])
def test_streamed_arguments_that_cannot_be_known_are_not_released(before: Before, pieces: list[str]) -> None:
    upstream = RawUpstream(stream(START, called("crm.get", *pieces), END, DONE), stream(STOP, DONE))
    assert b"crm.get" not in whole(before(upstream), "crm.get")
    assert "arguments_unknown" in upstream.documents()[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "pieces",
    [
        (START, TEXT, GET[:-20]),
        (START, TEXT, GET, None),
        (START, TEXT, GET),
        (START, TEXT, GET, b"data: {nonsense\n\n", END, DONE),
        (START, TEXT, GET, b'data: {"choices": [], "choices": [{}]}\n\n', END, DONE),
        (START, TEXT, GET, b"data: \xff\n\n", END, DONE),
        (
            START,
            TEXT,
            b'{"choices": [{"message": {"tool_calls": [{"function": {"name": "crm.get"}}]}}]}\n\n',
            DONE,
        ),
        (START, TEXT, MESSAGE, END, DONE),
        (START, TEXT, called("crm.get"), call_chunk(0, id="other", name="crm.get"), END, DONE),
        (START, TEXT, chunk({"tool_calls": [{"function": {"name": "crm.get"}}]}), END, DONE),
    ],
)
def test_a_broken_stream_says_so_and_releases_nothing_that_was_held(
    before: Before, pieces: tuple[Any, ...]
) -> None:
    gateway = before(RawUpstream(stream(*pieces)), upstream={"max_rounds": 0})
    content = whole(gateway, "crm.get")
    assert content.startswith(START + TEXT)
    last = json.loads(content.split(b"data: ")[-1])
    assert last["error"]["code"] in ("upstream_failed", "upstream_unreadable")
    assert b"crm.get" not in content


def test_a_call_that_goes_on_after_it_was_released_breaks_the_stream(before: Before) -> None:
    pieces = [START, GET, called("crm.list", index=1), call_chunk(0, "more"), END, DONE]
    content = whole(before(RawUpstream(stream(*pieces))), "crm.get")
    assert content.startswith(START + GET)
    assert b"more" not in content
    assert b"crm.list" not in content
    assert b"upstream_unreadable" in content


def test_a_call_with_two_names_is_blocked(before: Before) -> None:
    """Some clients join them, some take the last."""
    twice = called("crm.", "{}") + call_chunk(0, id="call_0", name="get")
    upstream = RawUpstream(stream(START, twice, END, DONE), stream(STOP, DONE))
    assert calls(whole(before(upstream), "crm.get")) == []


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_text_that_some_readers_would_cut_in_lines_cannot_become_a_call(before: Before, end: str) -> None:
    """Readers that split at every line end of Unicode, as httpx does, would find an event in this text."""
    inside = f"Hi{end}{end}data: {GET[6:].decode().strip()}{end}{end}"
    raw = json.dumps({"choices": [{"index": 0, "delta": {"content": inside}}]}, ensure_ascii=False)
    if end in "\x0b\x0c\x1c":  # JSON takes these in strings as escapes alone
        raw = raw.replace(json.dumps(end)[1:-1], end)
    event, comment = f"data: {raw}\n\n".encode(), f": x{end}data: y\n\n".encode()
    content = whole(before(RawUpstream(stream(START, comment, event, STOP, DONE))))
    lines = [line for line in content.decode().splitlines() if line.startswith("data:")]
    assert all("crm.get" not in line or "content" in line for line in lines)
    if end not in "\x0b\x0c\x1c":
        assert text(content) == inside


def test_an_error_in_the_stream_is_passed_on_and_ends_it(before: Before) -> None:
    error = b'data: {"error":  {"message": "overloaded"}}\n\n'
    assert whole(before(RawUpstream(stream(START, GET, error))), "crm.get") == START + error


def test_a_client_that_leaves_takes_the_request_upstream_with_it(before: Before) -> None:
    never = threading.Event()
    upstream = RawUpstream(stream(START, TEXT, never, STOP, DONE))
    with streaming(before(upstream)) as reading:
        reading.until(TEXT)
    assert upstream.left.wait(10)


def test_where_upstream_fails_the_second_time_the_message_ends_with_notes(before: Before) -> None:
    for second in ((500, {}, [b"{}"]), answer(completion("whole"))):
        upstream = RawUpstream(stream(START, TEXT, DROP, END, DONE), second)
        content = whole(before(upstream), "db.drop")
        assert text(content).startswith('Let me see.\n\ntool "db.drop" blocked by firewall')
        assert content.endswith(DONE)
        assert b'"finish_reason":"stop"' in content


def test_an_answer_that_was_to_be_streamed_and_comes_whole_is_judged_as_one(before: Before) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "db.drop", "arguments": "{}"}}
    upstream = RawUpstream(answer(completion("Hm.", call)), answer(completion("No.")))
    with streaming(before(upstream), "db.drop") as reading:
        assert json.loads(reading.rest())["choices"][0]["message"]["content"] == "No."


def test_all_in_one_chunk_is_read_as_that(before: Before) -> None:
    entries = [
        {"index": n, "id": str(n), "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(("crm.get", "db.drop"))
    ]
    one = chunk({"role": "assistant", "content": "Hi", "tool_calls": entries[:1]}, "tool_calls")
    assert whole(before(RawUpstream(stream(one, DONE))), "crm.get") == one + DONE
    both = chunk({"role": "assistant", "content": "Hi", "tool_calls": entries}, "tool_calls")
    content = whole(before(RawUpstream(stream(both, DONE))), "crm.get", "db.drop")
    assert calls(content) == ["crm.get"]
    assert text(content).startswith("Hi\n\ntool")


def test_legacy_function_calls_are_held_too(before: Before) -> None:
    parts = [
        chunk({"function_call": {"name": "db.drop", "arguments": ""}}),
        chunk({"function_call": {"arguments": "{}"}}),
    ]
    end = chunk({}, "function_call")
    upstream = RawUpstream(stream(START, *parts, end, DONE), stream(TEXT, STOP, DONE))
    content = whole(before(upstream))
    assert text(content) == "Let me see."
    assert upstream.documents()[1]["messages"][-1]["role"] == "function"
    allowed = [chunk({"function_call": {"name": "crm.get", "arguments": "{}"}})]
    body = b"".join([START, *allowed, end, DONE])
    assert whole(before(RawUpstream(stream(body)))) == body


def test_packed_events_flow(before: Before) -> None:
    import zlib

    packer = zlib.compressobj(wbits=31)
    later = threading.Event()
    pieces = [
        packer.compress(START + TEXT) + packer.flush(zlib.Z_SYNC_FLUSH),
        later,
        packer.compress(STOP + DONE) + packer.flush(),
    ]
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    with streaming(before(RawUpstream((200, headers, pieces)))) as reading:
        reading.until(TEXT)
        later.set()
        assert reading.rest() == START + TEXT + STOP + DONE
