"""Streamed chat completions: what holds for every stream, and the shapes that only some servers send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.gateway.sse import EventReader
from policyc_server.gateway.vendors.openai_chat import ChatCompletions
from policyc_server.gateway.vendors.vendor import Edit, Note, Rewrite, Stream, Unreadable, Usage

from policyc.stand_in.script import Part, Text, ToolCall, turn
from server.gateway.running import DONE, call_chunk, chunk
from server.gateway.vendors.driving import LATER, Driver, allow, sent

PATH = "/v1/chat/completions"
NO = Note("no")
END = chunk({}, "tool_calls")

PARTS = st.lists(
    st.one_of(
        st.builds(Text, st.text(min_size=1), st.integers(1, 3)),
        st.builds(ToolCall, st.sampled_from(["a", "b"]), st.just('{"x": [1, "é"]}'), st.integers(1, 5)),
    ),
    max_size=5,
)


def stream(**request: Any) -> Stream:
    return ChatCompletions().stream(request, is_metered=False)


def message(content: bytes) -> dict[str, Any]:
    """What a client makes of the chunks."""
    said: dict[str, Any] = {"text": "", "calls": {}, "finish": None, "roles": 0}
    for event in EventReader().feed(content):
        if event.data == "[DONE]":
            break
        (choice,) = json.loads(event.data or "")["choices"]
        delta = choice["delta"]
        said["roles"] += "role" in delta
        said["text"] += delta.get("content") or ""
        said["finish"] = choice["finish_reason"] or said["finish"]
        for part in delta.get("tool_calls", ()):
            call = said["calls"].setdefault(part["index"], ["", ""])
            call[0] += part["function"].get("name") or ""
            call[1] += part["function"].get("arguments") or ""
    return said


def sequential(parts: list[Part]) -> list[Part]:
    """As this API has it: the text, then the calls."""
    return sorted(parts, key=lambda part: isinstance(part, ToolCall))


@given(PARTS)
def test_what_is_allowed_is_byte_for_byte_what_came(parts: list[Part]) -> None:
    content = sent(PATH, turn(*sequential(parts)))
    driver = Driver(stream(), allow).feed(content)
    assert driver.end() == content
    assert driver.ends == 1
    assert driver.stream.is_over
    assert [call.name for call in driver.calls] == [
        part.name for part in sequential(parts) if isinstance(part, ToolCall)
    ]


@given(PARTS, st.data())
def test_whatever_is_decided_the_client_gets_one_message_and_no_call_that_was_denied(
    parts: list[Part], data: st.DataObject
) -> None:
    given = sequential(parts)
    choices = st.sampled_from([None, NO, LATER, Rewrite({"y": 2})])
    decided: list[Any] = []

    def decide(_call: object) -> Any:
        decided.append(data.draw(choices))
        return decided[-1]

    found = message(Driver(stream(), decide, finally_=NO).feed(sent(PATH, turn(*given))).end())
    released = [edit for edit in decided if edit is None or isinstance(edit, Rewrite)]
    assert sorted(found["calls"]) == list(range(len(released)))
    assert [json.loads(call[1]) for _, call in sorted(found["calls"].items())] == [
        {"x": [1, "é"]} if edit is None else {"y": 2} for edit in released
    ]
    assert found["finish"] == ("tool_calls" if released else "stop")
    assert found["roles"] == 1
    text = "".join(part.text for part in given if isinstance(part, Text))
    assert found["text"].startswith(text)
    assert found["text"].removeprefix(text).count("no") == len(decided) - len(released)


def test_the_next_answer_goes_on_in_the_same_message() -> None:
    def decide(call: Any) -> Edit | str | None:
        return LATER if call.name == "a" else None

    driver = Driver(stream(), decide).feed(sent(PATH, turn("Hm.", ToolCall("a", '{"x": 1}'))))
    (choice,) = driver.stream.answer()["choices"]
    assert choice["message"]["content"] == "Hm."
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "a", "arguments": '{"x": 1}'}
    driver.stream.restart()
    driver.waiting.clear()
    driver.feed(sent(PATH, turn("Well.", ToolCall("b", "{}")), number=2))
    found = message(driver.end())
    assert (found["text"], found["calls"]) == ("Hm.\n\nWell.", {0: ["b", "{}"]})
    assert (found["finish"], found["roles"]) == ("tool_calls", 1)


def test_text_beside_the_start_of_a_call_does_not_wait_for_its_end() -> None:
    entry = json.loads(call_chunk(0, "{", id="1", name="a")[6:])["choices"][0]["delta"]
    driver = Driver(stream(), allow).feed(chunk({"content": "Hi", **entry}))
    assert b'"Hi"' in b"".join(driver.released)
    assert b'"a"' not in b"".join(driver.released)
    found = message(driver.feed(call_chunk(0, "}") + END + DONE).end())
    assert (found["text"], found["calls"]) == ("Hi", {0: ["a", "{}"]})


def test_a_stream_that_ends_without_a_finish_reason_still_has_its_calls() -> None:
    content = call_chunk(0, "{}", id="1", name="a") + DONE
    driver = Driver(stream(), allow).feed(content)
    assert [call.name for call in driver.calls] == ["a"]
    assert driver.end() == content


def test_an_unknown_kind_of_call_is_held_and_cannot_be_read() -> None:
    content = chunk({"shiny_call": {"name": "a"}}) + END + DONE
    driver = Driver(stream(), lambda _call: NO).feed(content)
    ((name, raw),) = [(call.name, call.raw) for call in driver.calls]
    assert (name, raw) == ("shiny_call", None)
    assert not driver.stream.is_single
    assert b"shiny" not in driver.end()


def test_custom_tools_take_text() -> None:
    first = {"index": 0, "id": "1", "type": "custom", "custom": {"name": "sql", "input": "dro"}}
    more = {"index": 0, "custom": {"input": "p"}}
    content = chunk({"tool_calls": [first]}) + chunk({"tool_calls": [more]}) + END + DONE
    driver = Driver(stream(), allow).feed(content)
    assert driver.calls[0].raw == {"input": "drop"}
    assert driver.end() == content
    changed = Driver(stream(), lambda _call: Rewrite({"input": "***"})).feed(content).end()
    assert b'"custom":{"name":"sql","input":"***"}' in changed
    assert b"dro" not in changed


def test_choices_side_by_side_are_kept_apart() -> None:
    def of(number: int, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": number, "delta": delta, "finish_reason": finish}
        return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"

    call = {"tool_calls": [{"index": 0, "id": "1", "function": {"name": "a", "arguments": "{}"}}]}
    content = b"".join(
        [of(0, {"content": "x"}), of(1, call), of(0, {}, "stop"), of(1, {}, "tool_calls"), DONE]
    )
    driver = Driver(stream(n=2), allow).feed(content)
    assert not driver.stream.is_single
    assert driver.end() == content
    noted = Driver(stream(n=2), lambda _call: NO).feed(content).end()
    assert b'"tool_calls"' not in noted


@pytest.mark.parametrize(
    "delta",
    [
        {"tool_calls": {"a": 1}},
        {"tool_calls": ["x"]},
        {"tool_calls": [{"id": "1"}]},
        {"tool_calls": [{"index": True}]},
        {"function_call": "x"},
    ],
)
def test_parts_that_readers_could_not_agree_on_break_the_stream(delta: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        Driver(stream(), allow).feed(chunk(delta))


def test_no_number_of_calls_stops_the_server() -> None:
    entries = [{"index": n, "id": str(n), "function": {"name": "f", "arguments": "{}"}} for n in range(2001)]
    assert len(Driver(stream(), allow).feed(chunk({"tool_calls": entries[:2000]}) + DONE).calls) == 2000
    with pytest.raises(Unreadable):
        Driver(stream(), allow).feed(chunk({"tool_calls": entries}))


def test_an_error_with_choices_is_not_passed_on() -> None:
    called = chunk({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "pay", "arguments": "{}"}}]})
    with pytest.raises(Unreadable):
        Driver(stream(), allow).feed(called.replace(b'{"', b'{"error": {"message": "x"}, "', 1))


def test_usage_is_apart_by_what_was_kept() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}
    content = chunk({}, "stop") + b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"
    assert Driver(stream(), allow).feed(content).stream.usage == Usage(6, 5, 4, 0)
