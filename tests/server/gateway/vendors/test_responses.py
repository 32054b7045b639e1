import json

import pytest
from policyc_server.gateway.vendors.openai import OpenAI
from policyc_server.gateway.vendors.openai_responses import Responses
from policyc_server.gateway.vendors.responses_chain import Chain
from policyc_server.gateway.vendors.vendor import Closed, Note, Rewrite, Tool, Unreadable, Usage

API = Responses()
FUNCTION = {"type": "function", "name": "crm.get", "parameters": {}}


def call(kind: str, **more: object) -> dict:
    return {"type": kind, "id": "i1", "call_id": "c1", "status": "completed", **more}


PAY = call("function_call", name="pay", arguments='{"a": 1}')
MESSAGE = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "hi"}],
}


def answer(*items: dict, **more: object) -> dict:
    return {"id": "resp_1", "object": "response", "output": list(items), **more}


def server(**more: object) -> dict:
    return {"type": "mcp", "server_label": "gh", "server_url": "https://mcp.example", **more}


@pytest.mark.parametrize(
    ("entry", "tools"),
    [
        (FUNCTION, [Tool("crm.get")]),
        ({"type": "custom", "name": "sql"}, [Tool("sql")]),
        ({"type": "namespace", "name": "crm", "tools": [{**FUNCTION, "name": "get"}]}, [Tool("crm.get")]),
        ({"type": "local_shell"}, [Tool("local_shell", "shell.exec")]),
        ({"type": "shell"}, [Tool("shell", "shell.exec")]),
        ({"type": "shell", "environment": {"type": "local"}}, [Tool("shell", "shell.exec")]),
        (
            {"type": "shell", "environment": {"type": "container_auto"}},
            [Tool("shell", "shell.exec", is_hosted=True)],
        ),
        ({"type": "computer_use_preview"}, [Tool("computer")]),
        ({"type": "web_search_2025_08_26"}, [Tool("web_search", is_hosted=True)]),
        ({"type": "web_search_preview_2025_03_11"}, [Tool("web_search", is_hosted=True)]),
        ({"type": "tool_search", "execution": "client"}, [Tool("tool_search")]),
        ({"type": "robot"}, [Tool("robot", is_hosted=True)]),
        (server(), [Tool("gh", "mcp.gh", "gh")]),
        (
            server(require_approval="never", allowed_tools=["list", "get"]),
            [Tool("gh.list", "mcp.gh.list", "gh", True), Tool("gh.get", "mcp.gh.get", "gh", True)],
        ),
        (server(allowed_tools={"tool_names": ["list"]}), [Tool("gh.list", "mcp.gh.list", "gh")]),
    ],
)
def test_tools_of_every_kind(entry, tools):
    assert API.tools({"tools": [entry]}) == tools
    assert API.tools({"input": [{"type": "additional_tools", "tools": [entry]}]}) == tools
    left = API.without({"tools": [entry], "tool_choice": "auto"}, frozenset(tool.name for tool in tools))
    assert left == {}


@pytest.mark.parametrize(
    "entry",
    [
        server(require_approval="never"),
        server(require_approval={"never": {"tool_names": ["list"]}}),
        server(server_label="shell"),
    ],
)
def test_servers_of_which_nobody_knows_the_tools_are_a_problem(entry):
    assert all(tool.problem for tool in API.tools({"tools": [entry]}))


def test_what_a_server_listed_earlier_comes_back_and_brings_nothing():
    listed = {"type": "mcp_list_tools", "server_label": "gh", "tools": [{"name": "drop", "input_schema": {}}]}
    request = {"tools": [server(allowed_tools=["get"])], "input": [listed]}
    assert [tool.name for tool in API.tools(request)] == [f"{request['tools'][0]['server_label']}.get"]
    assert API.without(request, frozenset({"other"}))["input"] == [listed]


def test_a_stored_prompt_may_bring_tools_that_run_unseen():
    assert API.tools({"prompt": {"id": "pmpt_1"}}) == [Tool("prompt", is_hosted=True)]
    assert API.without({"prompt": {"id": "pmpt_1"}}, frozenset({"prompt"})) == {}


@pytest.mark.parametrize(
    "request_",
    [{"background": True}, {"tools": [1]}, {"tools": [{"name": "x"}]}, {"tools": [{"type": "function"}]}],
)
def test_requests_that_cannot_be_judged_are_refused(request_):
    with pytest.raises(Unreadable):
        API.tools(request_)


@pytest.mark.parametrize(
    ("choice", "is_kept"),
    [
        ("required", True),
        ({"type": "function", "name": "pay"}, False),
        ({"type": "function", "name": "crm.get"}, True),
        ({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "pay"}]}, False),
        ({"type": "mcp", "server_label": "gh"}, False),
        ({"type": "shell"}, False),
    ],
)
def test_a_tool_choice_goes_with_its_tool(choice, is_kept):
    request = {
        "tools": [FUNCTION, {"type": "shell"}, server(allowed_tools=["a", "b"])],
        "tool_choice": choice,
    }
    left = API.without(request, frozenset({"pay", "shell", "gh.a"}))
    assert left["tools"] == [FUNCTION, server(allowed_tools=["b"])]
    assert ("tool_choice" in left) is is_kept


CALLS = [
    (PAY, "pay", None, '{"a": 1}', False),
    (call("function_call", name="get", namespace="crm", arguments="{"), "crm.get", None, "{", False),
    (call("function_call", name="get"), "get", None, None, False),
    (call("custom_tool_call", name="sql", input="drop"), "sql", None, {"input": "drop"}, False),
    (
        call("local_shell_call", action={"type": "exec", "command": ["rm", "-rf", "a b"]}),
        "local_shell",
        "shell.exec",
        {"type": "exec", "command": "rm -rf 'a b'"},
        False,
    ),
    (
        call("shell_call", action={"commands": ["ls", "id"]}),
        "shell",
        "shell.exec",
        {"commands": ["ls", "id"], "command": "ls\nid"},
        False,
    ),
    (call("shell_call", action={"commands": "ls"}), "shell", "shell.exec", None, False),
    (
        call("shell_call", action={"commands": ["ls"]}, environment={"type": "container_reference"}),
        "shell",
        "shell.exec",
        {"commands": ["ls"], "command": "ls"},
        True,
    ),
    (
        call("apply_patch_call", operation={"type": "create_file", "path": "a", "diff": "+x"}),
        "apply_patch",
        "fs.write",
        {"type": "create_file", "path": "a", "diff": "+x", "content": "+x"},
        False,
    ),
    (call("computer_call", action={"type": "click"}), "computer", None, {"action": {"type": "click"}}, False),
    (
        call("mcp_approval_request", server_label="gh", name="drop", arguments="{}"),
        "gh.drop",
        "mcp.gh.drop",
        "{}",
        False,
    ),
    (call("mcp_call", server_label="gh", name="drop", arguments="{}"), "gh.drop", "mcp.gh.drop", "{}", True),
    (
        call("tool_search_call", execution="client", arguments={"q": 1}),
        "tool_search",
        None,
        {"arguments": {"q": 1}},
        False,
    ),
    (
        call("tool_search_call", execution="server", arguments={}),
        "tool_search",
        None,
        {"arguments": {}},
        True,
    ),
    (call("web_search_call", action={"query": "x"}), "web_search", None, {"action": {"query": "x"}}, True),
    (call("code_interpreter_call", code="1"), "code_interpreter", None, {"code": "1"}, True),
]


@pytest.mark.parametrize(("item", "name", "canonical", "raw", "is_hosted"), CALLS)
def test_calls_of_every_kind(item, name, canonical, raw, is_hosted):
    (found,) = API.read(answer(MESSAGE, item)).calls
    assert (found.key, found.name, found.canonical, found.raw, found.is_hosted) == (
        1,
        name,
        canonical,
        raw,
        is_hosted,
    )
    noted = API.edited(answer(MESSAGE, item), {1: Note("no")})
    assert [part["type"] for part in noted["output"]] == ["message", "message"]
    assert API.read(noted).calls == ()


@pytest.mark.parametrize("item", [item for item, _, _, _, is_hosted in CALLS if not is_hosted])
def test_a_blocked_call_of_every_kind_is_answered(item):
    request = {"input": "hi", "tool_choice": "required", "tools": []}
    asked = API.continued(request, answer(MESSAGE, item), {1: "blocked by a rule"})
    user, message, turn, *told = asked["input"]
    assert (user, message, turn["type"]) == ({"role": "user", "content": "hi"}, MESSAGE, item["type"])
    assert "blocked by a rule" in json.dumps(told)
    assert "c1" in json.dumps(told) or told[0]["approval_request_id"] == "i1"
    assert "tool_choice" not in asked


def test_an_item_of_an_unknown_type_is_a_call_that_nobody_answers():
    (found,) = API.read(answer({"type": "robot_call", "arm": 1})).calls
    assert (found.name, found.raw, found.is_hosted) == ("robot_call", None, True)


@pytest.mark.parametrize(
    ("item", "arguments", "changed"),
    [
        (PAY, {"a": 2}, {"arguments": '{"a":2}'}),
        (call("custom_tool_call", name="sql", input="x"), {"input": "y"}, {"input": "y"}),
        (
            call("shell_call", action={"commands": ["a"]}),
            {"command": "b", "commands": ["a"]},
            {"action": {"commands": ["b"]}},
        ),
        (
            call("local_shell_call", action={"command": ["a"]}),
            {"command": "b 'c d'"},
            {"action": {"command": ["b", "c d"]}},
        ),
        (
            call("apply_patch_call", operation={"type": "create_file", "path": "a", "diff": "+x"}),
            {"type": "create_file", "path": "a", "diff": "+x", "content": "+y"},
            {"operation": {"type": "create_file", "path": "a", "diff": "+y"}},
        ),
        (call("computer_call", action={"text": "x"}), {"action": {"text": "y"}}, {"action": {"text": "y"}}),
    ],
)
def test_rewritten_arguments_are_where_the_client_reads_them(item, arguments, changed):
    assert API.edited(answer(item), {0: Rewrite(arguments)})["output"] == [{**item, **changed}]


def test_what_runs_upstream_cannot_be_rewritten_and_is_stopped():
    item = call("mcp_approval_request", server_label="gh", name="x", arguments="{}")
    assert API.edited(answer(item), {0: Rewrite({})})["output"][0]["type"] == "message"


def test_what_a_hosted_call_returned_goes_with_it():
    hosted = call("shell_call", action={"commands": []}, environment={"type": "container_auto"})
    output = {"type": "shell_call_output", "call_id": "c1", "output": []}
    assert [item["type"] for item in API.edited(answer(hosted, output), {0: Note("no")})["output"]] == [
        "message"
    ]


def test_a_stored_turn_is_continued_by_its_id_and_another_by_its_items():
    request = {"input": "hi", "previous_response_id": "resp_0"}
    told = {"type": "function_call_output", "call_id": "c1", "output": "no"}
    stored = API.continued(request, answer(PAY, store=True), {0: "no"})
    assert stored == {"input": [told], "previous_response_id": "resp_1"}
    reasoning = {"type": "reasoning", "id": "rs", "summary": []}
    kept = {**reasoning, "encrypted_content": "x"}
    broken = {**PAY, "arguments": '{"a":'}
    other = API.continued(request, answer(reasoning, kept, broken, store=False), {2: "no"})
    sent = {key: value for key, value in PAY.items() if key != "id"} | {"arguments": "{}"}
    assert other == {**request, "input": [{"role": "user", "content": "hi"}, kept, sent, told]}
    conversation = API.continued({"input": "hi", "conversation": "conv"}, answer(PAY, store=True), {0: "no"})
    assert conversation == {"input": [told], "conversation": "conv"}


def test_a_conversation_gets_one_call_a_turn():
    request = {"conversation": "conv", "tools": [FUNCTION], "input": "hi"}
    assert API.outgoing(request, is_metered=False) == {**request, "parallel_tool_calls": False}
    assert API.outgoing(plain := {"input": "hi"}, is_metered=False) is plain


def test_the_next_request_of_a_stored_mixed_turn_has_what_it_needs():
    api = Responses()
    api.edited(
        answer(PAY, call("function_call", name="get", arguments="{}"), store=True), {0: Note("over the cap")}
    )
    told = {"type": "function_call_output", "call_id": "c1", "output": "over the cap"}
    sent = api.outgoing({"previous_response_id": "resp_1", "input": [{"role": "user"}]}, is_metered=False)
    assert sent == {"previous_response_id": "resp_1", "input": [told, {"role": "user"}]}


def test_the_oldest_answers_are_forgotten():
    chain = Chain(room=1)
    for name in ("a", "b"):
        chain.remember(name, f"{name}2", ())
    assert chain.resumed(first := {"previous_response_id": "a"}) is first
    assert chain.resumed({"previous_response_id": "b"})["previous_response_id"] == "b2"


def test_usage_is_counted_by_kind():
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
    }
    assert API.read(answer(usage=usage)).usage == Usage(5, 5, 4, 1)
    assert API.read(answer()).usage is None


def test_an_item_without_a_type_is_a_call_nobody_knows():
    (found,) = API.read(answer({"type": ["message"]})).calls
    assert (found.name, found.is_hosted) == ("unnamed_call", True)


@pytest.mark.parametrize("document", [[], {"output": 1}, {"output": [1]}])
def test_answers_of_another_shape_are_refused(document):
    with pytest.raises(Unreadable):
        API.read(document)


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "v1/responses", Responses),
        ("GET", "v1/responses/resp_1", Closed),
        ("POST", "v1/responses/resp_1/cancel", Closed),
        ("DELETE", "v1/responses/resp_1", type(None)),
        ("POST", "v1/responses/input_tokens", type(None)),
        ("GET", "v1/conversations/c/items", Closed),
    ],
)
def test_stored_answers_are_closed(method, path, found):
    assert type(OpenAI().route(method, tuple(path.split("/")))) is found


@pytest.mark.parametrize(
    "path",
    [
        "v1/messages",
        "anthropic/v1/messages",
        "v1beta/models/m:generateContent",
        "api/chat",
        "api/generate",
        "invocations",
        "v1/evals/e/runs",
    ],
)
def test_apis_that_a_server_has_besides_are_closed(path):
    assert type(OpenAI().route("POST", tuple(path.split("/")))) is Closed
