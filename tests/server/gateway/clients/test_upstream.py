"""What passes between client and upstream besides calls."""

from __future__ import annotations

import json

import httpx
import pytest
from official_clients import APIS, MODEL

from policyc.stand_in.script import Item, turn
from server.gateway.clients.firewall import CREDENTIAL, GET, TOO_MUCH, ask

pytestmark = pytest.mark.slow

EVERY_API = pytest.mark.parametrize("api", APIS)
CHAT, RESPONSES, GEMINI = "openai chat completions", "openai responses", "gemini generateContent"


@EVERY_API
def test_an_upstreams_error_is_the_clients_own(firewall, api):
    firewall.says(turn(status=400, error="the model does not like that"))
    with pytest.raises(Exception, match="the model does not like that") as raised:
        ask(firewall.talk(api), stream=False)
    assert getattr(raised.value, "status_code", getattr(raised.value, "code", None)) == 400


@EVERY_API
def test_the_upstream_sees_the_operators_credential_and_not_the_clients(firewall, api):
    firewall.says(turn("Hi."))
    ask(firewall.talk(api, run="credentials"), stream=False)
    seen = json.dumps([dict(firewall.received[0].headers), firewall.received[0].query])
    assert CREDENTIAL in seen
    assert firewall.key not in seen
    assert "policyc" not in seen


def test_a_key_in_the_query_is_not_forwarded(firewall):
    firewall.says(turn("Hi."))
    url = f"{firewall.base_url(GEMINI)}/v1/models/m:generateContent?key={firewall.key}&alt=json"
    answer = httpx.post(url, json={"contents": [{"parts": [{"text": "Go on."}]}]})
    assert answer.status_code == 200
    assert firewall.received[0].query == "alt=json"
    assert firewall.received[0].headers["x-goog-api-key"] == CREDENTIAL


def test_everything_else_of_an_api_passes_untouched(firewall):
    headers = {"authorization": f"Bearer {firewall.key}"}
    answer = httpx.get(f"{firewall.base_url(CHAT)}/v1/models?limit=2", headers=headers)
    assert answer.json() == {"path": "/v1/models"}
    assert (firewall.received[0].method, firewall.received[0].query) == ("GET", "limit=2")
    refused = httpx.get(f"{firewall.base_url(CHAT)}/v1/responses/resp_1", headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "route_closed")
    assert len(firewall.received) == 1


@pytest.mark.parametrize(
    "path", ["/v1beta/models/m:streamGenerateContent", "/v1/models/m:streamGenerateContent"]
)
def test_a_gemini_array_is_judged_as_a_whole(firewall, path):
    body = {"contents": [{"parts": [{"text": "Go on."}]}]}
    headers = {"x-goog-api-key": firewall.key}
    firewall.says(turn("Both. ", GET, TOO_MUCH))
    answer = httpx.post(firewall.base_url(GEMINI) + path, json=body, headers=headers)
    parts = [part for chunk in answer.json() for part in chunk["candidates"][0]["content"]["parts"]]
    assert [part["functionCall"]["name"] for part in parts if "functionCall" in part] == ["crm.get"]
    assert "need a person" in answer.text


@pytest.mark.parametrize("stream", [False, True])
def test_a_stored_conversation_goes_on_after_a_mixed_turn_and_after_a_recovery(firewall, stream):
    client = firewall.talk(RESPONSES).client

    def say(**more):
        if not stream:
            return client.responses.create(model=MODEL, **more)
        with client.responses.stream(model=MODEL, **more) as events:
            return events.until_done().get_final_response()

    firewall.says(turn(GET, TOO_MUCH), turn(TOO_MUCH), turn("Enough."), turn("Bye."))
    mixed = say(input="Go on.")
    (call,) = [item for item in mixed.output if item.type == "function_call"]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Ann"}
    recovered = say(previous_response_id=mixed.id, input=[result])
    assert recovered.output_text.endswith("Enough.")
    sent = [received.document for received in firewall.received]
    assert sent[1]["previous_response_id"] == "resp_1"
    assert [item["call_id"] for item in sent[1]["input"]] == ["call_1_1", call.call_id]
    assert (sent[2]["previous_response_id"], sent[2]["input"][0]["call_id"]) == ("resp_2", "call_2_0")
    assert say(previous_response_id=recovered.id, input="Thanks.").output_text == "Bye."
    assert firewall.received[3].document["previous_response_id"] == "resp_3"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("item", "told"),
    [
        (
            {"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"], "env": {}}},
            "local_shell_call_output",
        ),
        ({"type": "shell_call", "action": {"commands": ["ls"]}}, "shell_call_output"),
        ({"type": "custom_tool_call", "name": "shell.exec", "input": "ls"}, "custom_tool_call_output"),
    ],
)
def test_built_in_tools_of_responses_are_judged_as_what_they_do(firewall, stream, item, told):
    call = {"id": "x1", "call_id": "c1", "status": "completed", **item}
    firewall.says(turn("Look: ", Item(call)), turn("No shell then."))
    assert ask(firewall.talk(RESPONSES), stream).text.endswith("No shell then.")
    assert firewall.received[1].document["input"][-1]["type"] == told
    assert "Shells are for people" in str(firewall.received[1].document["input"][-1])
