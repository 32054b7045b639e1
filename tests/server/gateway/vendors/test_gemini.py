import pytest
from policyc_server.gateway.documents import read_answer
from policyc_server.gateway.vendors.gemini import Gemini
from policyc_server.gateway.vendors.gemini_generate import Generate
from policyc_server.gateway.vendors.vendor import Closed, Note, Rewrite, Tool, Unreadable, Usage

API = Generate()
PAY = {"functionCall": {"name": "pay", "args": {"a": 1}}}
GET = {"functionCall": {"id": "f2", "name": "crm.get", "args": {}}}
TEXT = {"text": "hi"}


def answer(*parts: dict, **more: object) -> dict:
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"content": content, "finishReason": "STOP"}], **more}


def parts(document: dict) -> list[dict]:
    return document["candidates"][0]["content"]["parts"]


@pytest.mark.parametrize("wrap", [lambda tool: [tool], lambda tool: tool])
@pytest.mark.parametrize(
    ("entry", "tools"),
    [
        ({"functionDeclarations": [{"name": "a"}, {"name": "b"}]}, [Tool("a"), Tool("b")]),
        ({"function_declarations": {"name": "a"}}, [Tool("a")]),
        (
            {"googleSearch": {}, "code_execution": {}},
            [Tool("google_search", is_hosted=True), Tool("code_execution", is_hosted=True)],
        ),
        ({"computerUse": {}}, [Tool("computer_use")]),
        ({"robot": {}}, [Tool("robot", is_hosted=True)]),
    ],
)
def test_tools_of_every_kind_in_every_spelling(wrap, entry, tools):
    request = {"tools": wrap(entry), "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
    assert API.tools(request) == tools
    assert API.without(request, frozenset(tool.name for tool in tools)) == {}


def test_an_mcp_server_is_a_problem_and_cached_content_a_tool():
    (server,) = API.tools({"tools": [{"mcpServers": [{"name": "gh"}]}]})
    assert (server.canonical, bool(server.problem)) == ("mcp.gh", True)
    assert API.tools({"cachedContent": "cachedContents/x"}) == [Tool("cached_content", is_hosted=True)]
    assert API.without({"cached_content": "x"}, frozenset({"cached_content"})) == {}


def test_some_tools_go_and_the_rest_stays():
    config = {
        "function_calling_config": {"mode": "ANY", "allowed_function_names": ["a"]},
        "retrieval_config": {},
    }
    request = {
        "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "b"}], "googleSearch": {}}],
        "tool_config": config,
    }
    left = API.without(request, frozenset({"a", "google_search"}))
    assert left == {
        "tools": [{"functionDeclarations": [{"name": "b"}]}],
        "tool_config": {"retrieval_config": {}},
    }
    assert API.without(request, frozenset({"b"}))["tool_config"] == config


@pytest.mark.parametrize(
    "request_",
    [
        {"tools": [1]},
        {"tools": [{"functionDeclarations": [{}]}]},
        {"tools": [], "Tools": []},
        {"toolConfig": {"functionCallingConfig": {"streamFunctionCallArguments": True}}},
    ],
)
def test_requests_that_cannot_be_judged_are_refused(request_):
    with pytest.raises(Unreadable):
        API.tools(request_)


def test_a_part_with_two_calls_is_refused():
    with pytest.raises(Unreadable):
        API.read(answer({**PAY, "function_call": {"name": "crm.get"}}))


def test_calls_are_numbered_over_all_parts_of_their_candidate():
    chunks = [answer(TEXT, PAY), answer(GET)]
    found = API.read(chunks)
    assert [(call.key, call.name) for call in found.calls] == [((0, 1), "pay"), ((0, 2), "crm.get")]
    assert found.calls[0].raw is PAY["functionCall"]["args"]
    edited = API.edited(chunks, {(0, 2): Note("no")})
    assert [parts(chunk) for chunk in edited] == [[TEXT, PAY], [{"text": "no"}]]


def test_a_rewritten_call_and_a_note_that_hands_its_signature_on():
    signed = {**PAY, "thoughtSignature": "s"}
    edited = API.edited(answer(signed, GET), {(0, 0): Note("no"), (0, 1): Rewrite({"b": 2})})
    assert parts(edited) == [
        {"text": "no", "thoughtSignature": "s"},
        {"functionCall": {"id": "f2", "name": "crm.get", "args": {"b": 2}}, "thoughtSignature": "s"},
    ]


def test_a_blocked_turn_is_continued_with_an_error_for_each_call():
    signed = {**PAY, "thoughtSignature": "s"}
    request = {"contents": {"parts": TEXT}, "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
    asked = API.continued(request, answer(TEXT, signed, GET, {"text": ""}), {(0, 1): "no", (0, 2): "never"})
    results = [
        {"functionResponse": {"name": "pay", "response": {"error": "no"}}},
        {"functionResponse": {"name": "crm.get", "id": "f2", "response": {"error": "never"}}},
    ]
    model = {"role": "model", "parts": [TEXT, signed, GET]}
    assert asked == {"contents": [{"parts": TEXT}, model, {"role": "user", "parts": results}]}


def test_arguments_that_nobody_could_read_do_not_go_back():
    call = b'{"functionCall": {"name": "pay", "args": {"a": 1, "a": 2}}}'
    faulty = read_answer(b'{"candidates": [{"content": {"parts": [' + call + b"]}}]}")
    asked = API.continued({"contents": []}, faulty, {(0, 0): "no"})
    assert asked["contents"][0]["parts"] == [{"functionCall": {"name": "pay", "args": {}}}]


def test_usage_counts_hidden_and_cached_tokens():
    usage = {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 4,
        "toolUsePromptTokenCount": 1,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 2,
    }
    assert API.read(answer(usageMetadata=usage)).usage == Usage(7, 7, 4)
    assert API.read([answer(usageMetadata=usage), answer()]).usage == Usage(7, 7, 4)


def test_several_candidates_are_no_turn_to_continue():
    document = {"candidates": [{"content": {"parts": [PAY]}}, {"index": 1, "content": {"parts": [GET]}}]}
    assert [call.key for call in API.read(document).calls] == [(0, 0), (1, 0)]
    assert not API.read(document).is_single
    assert API.read(answer(PAY)).is_single


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "v1beta/models/m:generateContent", Generate),
        ("POST", "v1/models/m:streamGenerateContent", Generate),
        ("POST", "v1beta/tunedModels/m:GENERATECONTENT", Generate),
        ("POST", "v1/projects/p/locations/l/publishers/google/models/m:generateContent", Generate),
        ("POST", "v1beta/models/m:countTokens", type(None)),
        ("GET", "v1beta/models", type(None)),
        ("POST", "v1beta/models/m:batchGenerateContent", Closed),
        ("GET", "v1beta/batches/b", Closed),
        ("POST", "v1beta/interactions", Closed),
        ("POST", "v1beta/openai/chat/completions", Closed),
        ("POST", "v1/projects/p/locations/l/endpoints/openapi/chat/completions", Closed),
        ("POST", "$rpc/google.ai.generativelanguage.v1beta.GenerativeService/GenerateContent", Closed),
        ("POST", "google.ai.generativelanguage.v1beta.GenerativeService/StreamGenerateContent", Closed),
        ("PUT", "v1beta/models/m:generateContent", Closed),
        ("GET", "v1beta/models/m:generateContent", Closed),
        ("POST", "batch", Closed),
        ("POST", "batch/v1beta", Closed),
        ("POST", "batches", Closed),
        ("POST", "v1alpha/auth_tokens", Closed),
        ("POST", "v1/projects/p/locations/l/reasoningEngines/x:query", Closed),
        ("POST", "v1/projects/p/locations/l/batchPredictionJobs", Closed),
        ("POST", "upload/v1beta/files", type(None)),
        ("POST", "v1beta/cachedContents", type(None)),
    ],
)
def test_routes(method, path, found):
    assert type(Gemini().route(method, tuple(path.split("/")))) is found


def test_who_asks_and_how_the_gateway_does():
    vendor = Gemini()
    assert vendor.client_secret({b"x-goog-api-key": b"a"}, {"key": "b"}) == "a"
    assert vendor.client_secret({b"authorization": b"Bearer t"}, {}) == "t"
    assert vendor.client_secret({}, {"key": "b"}) == "b"
    assert vendor.client_secret({}, {}) is None
    assert vendor.credential("x") == (b"x-goog-api-key", b"x")
    assert API.model({}, ("v1beta", "models", "gemini-3:generateContent")) == "gemini-3"


def test_an_error_names_its_code_where_google_does():
    error = Gemini().error(400, "firewall_blocked", "no", {"rule": "r"})["error"]
    assert (error["code"], error["status"], error["message"]) == (400, "INVALID_ARGUMENT", "no")
    assert error["details"][0]["reason"] == "firewall_blocked"
    assert error["details"][0]["metadata"] == {"rule": "r"}
