"""Answers that no API would give, whole and streamed: a denied call comes out of none.

And requests that no API would take: they are read, or Unreadable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from policyc_server.gateway.documents import read_answer
from policyc_server.gateway.sse import Event, EventReader, write_event
from policyc_server.gateway.vendors.kinds import KINDS
from policyc_server.gateway.vendors.vendor import Api, End, Note, Stream, ToolCall, Unreadable

from policyc.stand_in import script
from policyc.stand_in.apis import api_of
from policyc.stand_in.received import Received
from server.gateway.vendors.driving import sent

#: Path -> the kind of the upstream.
PATHS = {
    "/v1/chat/completions": "openai",
    "/v1/responses": "openai",
    "/v1/messages": "anthropic",
    "/v1beta/models/m:streamGenerateContent": "gemini",
}
MARK = "of-a-denied-call"
STRANGE: tuple[Any, ...] = (None, [], {}, 0, 1, "x", "text", "tool_use", True, -1, [[]], [None], {"a": 1})


def changed(value: Any, random: Random) -> Any:
    """A copy of ``value`` in which things are missing, twice there, or of another type."""
    chance = random.random()
    if isinstance(value, dict):
        found = {key: changed(one, random) if random.random() < 0.25 else one for key, one in value.items()}
        if found and chance < 0.12:
            del found[random.choice(list(found))]
        elif found and chance < 0.2:
            found[random.choice(list(found))] = random.choice(STRANGE)
        return found
    if isinstance(value, list):
        found = [changed(one, random) if random.random() < 0.5 else one for one in value]
        return [] if chance < 0.05 else [*found, random.choice(found)] if found and chance < 0.2 else found
    return random.choice(STRANGE) if chance < 0.3 else value


def made_up(random: Random) -> script.Turn:
    """An answer with calls."""
    parts = (
        script.Text("hi there", 2),
        script.Thought("hm"),
        script.ToolCall("a", f'{{"x": "{MARK}"}}', random.randint(1, 4)),
        script.ToolCall("b", f'{{"x": "{MARK}"}}', 1),
    )
    return script.turn(*random.choices(parts, k=random.randint(1, 4)))


def events(path: str, random: Random) -> Iterator[Event]:
    """The events of an answer with calls, some of them changed, some of them lost."""
    for event in EventReader().feed(sent(path, made_up(random))):
        if random.random() < 0.03:
            continue
        if event.data in (None, "[DONE]") or random.random() > 0.3:
            yield event
        else:
            data = json.dumps(changed(json.loads(event.data or ""), random))
            yield Event(write_event(data, event.name), event.name, data)


def released(stream: Stream, coming: Iterator[Event]) -> bytes:
    found = b""
    try:
        for event in coming:
            for step in stream.feed(event):
                if isinstance(step, ToolCall):
                    found += stream.settle(step.key, Note("no"))
                elif isinstance(step, End):
                    found += stream.end()
                else:
                    found += step
    except Unreadable:
        pass
    return found


def api_at(path: str) -> Api:
    api = KINDS[PATHS[path]].route("POST", tuple(path.strip("/").split("/")))
    assert isinstance(api, Api)
    return api


@pytest.mark.parametrize("path", PATHS)
def test_no_denied_call_comes_out_of_any_stream(path: str) -> None:
    api = api_at(path)
    for seed in range(400):
        random = Random(seed)
        content = released(api.stream({}, is_metered=False), events(path, random))
        assert MARK.encode() not in content, seed


@pytest.mark.parametrize("path", PATHS)
def test_no_denied_call_comes_out_of_any_whole_answer(path: str) -> None:
    api = api_at(path)
    asked = Received(1, "POST", path.replace("streamG", "g"), "", {}, b"")
    asked.document = {"model": "m", "input": "hi"}
    for seed in range(600):
        random = Random(seed)
        whole = json.loads(api_of(asked.path).whole(made_up(random), asked))
        answer = read_answer(json.dumps(changed(whole, random)).encode())
        try:
            found = api.read(answer)
        except Unreadable:
            continue
        edits = {call.key: Note("no") for call in found.calls}
        assert MARK not in json.dumps(api.edited(answer, edits) if edits else answer), seed
        if edits and found.is_single and not any(call.is_hosted for call in found.calls):
            api.continued({"messages": [], "input": "hi", "contents": []}, answer, dict.fromkeys(edits, "no"))


def keys(value: Any) -> set[str]:
    """All keys in ``value``, but for what is a tool's own."""
    if isinstance(value, list):
        return {key for one in value for key in keys(one)}
    inside = [keys(one) | {key} for key, one in value.items()] if isinstance(value, dict) else []
    return set().union(*inside) - {"x"}


@pytest.mark.parametrize("path", PATHS)
def test_no_call_hides_under_a_key_of_other_case(path: str) -> None:
    api = api_at(path)
    turn = script.turn(script.ToolCall("a", f'{{"x": "{MARK}"}}'))
    asked = Received(1, "POST", path.replace("streamG", "g"), "", {}, b"")
    asked.document = {"model": "m", "input": "hi"}
    whole, streamed = json.dumps(json.loads(api_of(asked.path).whole(turn, asked))), sent(path, turn)
    datas = [event.data or "" for event in EventReader().feed(streamed) if event.data != "[DONE]"]
    known = keys([json.loads(whole), *map(json.loads, datas)])
    for key, other in ((one, other) for one in known for other in (one.upper(), one.capitalize())):
        if key == other:
            continue
        renamed = streamed.replace(f'"{key}":'.encode(), f'"{other}":'.encode())
        stream = api.stream({}, is_metered=False)
        assert MARK.encode() not in released(stream, iter(EventReader().feed(renamed))), other
        answer = read_answer(whole.replace(f'"{key}":', f'"{other}":').encode())
        try:
            found = api.read(answer)
        except Unreadable:
            continue
        edits = {call.key: Note("no") for call in found.calls}
        assert MARK not in json.dumps(api.edited(answer, edits) if edits else answer), other


_FUNCTION = {"type": "function", "function": {"name": "a", "parameters": {}}}
#: Requests with all that tools can be.
REQUESTS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {
        "messages": [],
        "tools": [_FUNCTION, {"type": "custom", "custom": {"name": "b"}}],
        "functions": [{"name": "c"}],
        "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [_FUNCTION]}},
        "function_call": {"name": "c"},
        "stream": True,
        "stream_options": {"include_usage": False},
        "web_search_options": {},
    },
    "/v1/responses": {
        "input": [],
        "tools": [
            {"type": "function", "name": "a"},
            {"type": "mcp", "server_label": "wiki", "allowed_tools": ["x"]},
            {"type": "web_search"},
        ],
        "tool_choice": {"type": "function", "name": "a"},
    },
    "/v1/messages": {
        "messages": [],
        "tools": [
            {"name": "a"},
            {
                "type": "mcp_toolset",
                "mcp_server_name": "wiki",
                "default_config": {"enabled": False},
                "configs": {"x": {"enabled": True}},
            },
        ],
        "mcp_servers": [{"name": "wiki"}, {"name": "v", "tool_configuration": {"allowed_tools": ["y"]}}],
        "tool_choice": {"type": "tool", "name": "a"},
    },
    "/v1beta/models/m:streamGenerateContent": {
        "contents": [],
        "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}, {"googleSearch": {}}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a"]}},
    },
}


@pytest.mark.parametrize("path", PATHS)
def test_a_request_of_any_shape_is_read_or_refused(path: str) -> None:
    api = api_at(path)
    for seed in range(600):
        random = Random(seed)
        request = changed(REQUESTS[path], random)
        try:
            names = frozenset(tool.name for tool in api.tools(request) if random.random() < 0.5)
            left = api.without(request, names)
            assert names.isdisjoint(tool.name for tool in api.tools(left)), seed
            assert isinstance(api.model(left, tuple(path.split("/"))), str)
            api.stream(api.outgoing(left, is_metered=False), is_metered=False)
        except Unreadable:
            continue
