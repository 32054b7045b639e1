"""Anthropic's messages in one piece: what is offered, what is called, what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest
from policyc_server.gateway.vendors.anthropic import Anthropic
from policyc_server.gateway.vendors.anthropic_messages import Messages
from policyc_server.gateway.vendors.vendor import Closed, Note, Rewrite, Tool, Unreadable, Usage

API = Messages()
TEXT = {"type": "text", "text": "Hi"}
USE = {"type": "tool_use", "id": "t1", "name": "crm", "input": {"a": 1}}
SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
LISTED = {"type": "mcp_toolset", "mcp_server_name": "wiki", "default_config": {"enabled": False}}


def request(*tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "go"}], "tools": list(tools), **more}


def answer(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"content": list(blocks), "stop_reason": "tool_use", **more}


@pytest.mark.parametrize(
    ("entry", "tools"),
    [
        ({"name": "crm", "input_schema": {}}, [Tool("crm")]),
        ({"type": "custom", "name": "crm"}, [Tool("crm")]),
        ({"type": "bash_20250124", "name": "bash"}, [Tool("bash")]),
        ({"type": "computer_toolset_20260801"}, [Tool("computer")]),
        ({"type": "web_fetch_20250910", "name": "web_fetch"}, [Tool("web_fetch", is_hosted=True)]),
        (
            {"type": "code_execution_20250825", "name": "code_execution"},
            [
                Tool("code_execution", is_hosted=True),
                Tool("bash_code_execution", is_hosted=True),
                Tool("text_editor_code_execution", is_hosted=True),
            ],
        ),
        ({"type": "shiny_20300101", "name": "shiny"}, [Tool("shiny", is_hosted=True)]),
        (
            {**LISTED, "configs": {"read": {"enabled": True}, "drop": {"enabled": False}}},
            [Tool("wiki.read", "mcp.wiki.read", "wiki", is_hosted=True)],
        ),
        (
            {"type": "mcp_toolset", "mcp_server_name": "wiki", "tools": [{"name": "read"}]},
            [Tool("wiki.read", "mcp.wiki.read", "wiki", is_hosted=True)],
        ),
    ],
)
def test_every_kind_of_tool_is_named(entry: dict[str, Any], tools: list[Tool]) -> None:
    assert API.tools(request(entry)) == tools


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "mcp_toolset", "mcp_server_name": "wiki"}]},
        {"tools": [{**LISTED, "default_config": {"enabled": None}}]},
        {"tools": [{**LISTED, "default_config": {"enabled": 0}}]},
        {"tools": [], "mcp_servers": [{"type": "url", "name": "wiki", "url": "https://x"}]},
    ],
)
def test_a_server_whose_tools_nobody_lists_is_a_problem(more: dict[str, Any]) -> None:
    (tool,) = API.tools(request(**more))
    assert (tool.name, tool.owner) == ("wiki.*", "wiki")
    assert "not listed" in (tool.problem or "")


def test_no_server_passes_for_built_in_tools() -> None:
    (tool,) = API.tools(
        request({**LISTED, "mcp_server_name": "shell", "configs": {"exec": {"enabled": True}}})
    )
    assert "built-in" in (tool.problem or "")


def test_an_old_server_may_list_its_tools() -> None:
    server = {"name": "wiki", "tool_configuration": {"allowed_tools": ["read"]}}
    assert [tool.name for tool in API.tools(request(mcp_servers=[server]))] == ["wiki.read"]


@pytest.mark.parametrize(
    "given", [{"tools": "x"}, {"tools": ["x"]}, {"tools": [{"type": 1}]}, {"tools": [{"name": 7}]}]
)
def test_tools_of_no_shape_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        API.tools(request(**given))


def test_a_denied_tool_goes_with_its_choice() -> None:
    two = request({"name": "a"}, {"name": "b"}, tool_choice={"type": "tool", "name": "a"})
    assert API.without(two, frozenset({"a"})) == request({"name": "b"})
    one = request({"name": "a"}, tool_choice={"type": "any"})
    left = API.without(one, frozenset({"a"}))
    assert "tools" not in left
    assert "tool_choice" not in left


def test_of_a_toolset_the_denied_tools_are_turned_off() -> None:
    toolset = {**LISTED, "configs": {"read": {"enabled": True}, "drop": {"enabled": True}}}
    left = API.without(request(toolset), frozenset({"wiki.drop"}))
    assert API.tools(left) == [Tool("wiki.read", "mcp.wiki.read", "wiki", is_hosted=True)]
    assert "tools" not in API.without(request(toolset), frozenset({"wiki.drop", "wiki.read"}))


def test_calls_are_those_of_the_client_of_the_vendor_and_of_nobody_known() -> None:
    mcp = {"type": "mcp_tool_use", "id": "m", "name": "read", "server_name": "wiki", "input": {}}
    member = {**USE, "name": "left_click", "toolset_name": "computer"}
    shiny = {"type": "shiny_use", "name": "shiny"}
    posing = {"type": "text", "text": "", "name": "crm", "input": {}}
    found = API.read(answer(TEXT, USE, SEARCH, FOUND, mcp, member, shiny, posing))
    told = [(call.key, call.name, call.raw, call.is_hosted) for call in found.calls]
    assert told == [
        (1, "crm", {"a": 1}, False),
        (2, "web_search", {"query": "x"}, True),
        (4, "wiki.read", {}, True),
        (5, "computer.left_click", {"a": 1}, False),
        (6, "shiny", None, False),
        (7, "crm", None, False),
    ]
    assert found.calls[0].raw is USE["input"]
    assert not found.is_single
    assert API.read(answer(TEXT, USE)).is_single


def test_usage_is_apart_by_what_was_kept() -> None:
    usage = {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 4,
    }
    assert API.read(answer(usage=usage)).usage == Usage(1, 2, 3, 4)
    assert API.read(answer()).usage is None


def test_edits_take_the_place_of_calls() -> None:
    edited = API.edited(answer(TEXT, USE, SEARCH, FOUND), {1: Rewrite({"a": 2}), 2: Note("no")})
    assert edited["content"] == [TEXT, {**USE, "input": {"a": 2}}, {"type": "text", "text": "no"}]
    assert edited["stop_reason"] == "tool_use"
    ended = API.edited(answer(USE), {0: Note("no")})
    assert (ended["content"], ended["stop_reason"]) == ([{"type": "text", "text": "no"}], "end_turn")


def test_the_model_is_told_and_is_free_to_stop() -> None:
    given = request({"name": "crm"}, tool_choice={"type": "any"})
    said = API.continued(given, answer(TEXT, USE, container={"id": "c"}), {1: "no"})
    assert said["messages"][1:] == [
        {"role": "assistant", "content": [TEXT, USE]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no"}],
        },
    ]
    assert "tool_choice" not in said
    assert said["container"] == "c"
    assert given["tool_choice"] == {"type": "any"}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("v1/messages", Messages),
        ("v1/chat/completions", Closed),
        ("v1/complete", Closed),
        ("model/m/invoke", Closed),
        ("model/m/invoke-with-response-stream", Closed),
        ("v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict", Closed),
        ("v1/messages/count_tokens", type(None)),
    ],
)
def test_apis_that_the_vendor_or_a_cloud_has_besides_are_closed(path: str, found: type) -> None:
    assert type(Anthropic().route("POST", tuple(path.split("/")))) is found
