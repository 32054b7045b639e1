"""The stand-in, read by the vendors' own clients."""

from __future__ import annotations

import itertools
import json
import threading

import anthropic
import httpx
import openai
import pytest
from google.genai import errors
from official_clients import APIS, Answer

from policyc.stand_in.apis import api_of
from policyc.stand_in.app import StandIn
from policyc.stand_in.script import Cut, Item, Pause, Script, Text, Thought, ToolCall, turn
from policyc.stand_in.serving import serving

EVERY_WAY = list(itertools.product(APIS, (False, True)))
BROKEN = (openai.OpenAIError, anthropic.AnthropicError, httpx.HTTPError)


def ask(conversation, stream):
    """The next turn; streamed, what was heard is the text."""
    if not stream:
        return conversation.ask()
    heard = []
    answer = conversation.ask(heard.append)
    assert "".join(heard) == answer.text
    return answer


@pytest.fixture
def talk():
    """Begins conversations, and closes their clients after the test."""
    conversations = []

    def begin(api, url):
        conversations.append(APIS[api](url, "key", ["crm.get", "crm.search"], {}, "Who is client 7?"))
        return conversations[-1]

    yield begin
    for conversation in conversations:
        conversation.client.close()


@pytest.mark.parametrize(("api", "stream"), EVERY_WAY)
def test_text_and_parallel_calls_arrive_and_results_go_back(talk, api, stream):
    calls = (ToolCall("crm.get", '{"id": 7}'), ToolCall("crm.search", '{"name": "Ω é"}', pieces=5))
    app = StandIn(Script(turn("Let me ", Text("look é it up.", 4), *calls), turn("It is Ann.")))
    with serving(app) as url:
        conversation = talk(api, url)
        first = ask(conversation, stream)
        assert first.text.replace("Let me ", "") == "look é it up."
        assert [call[1:] for call in first.calls] == [("crm.get", {"id": 7}), ("crm.search", {"name": "Ω é"})]
        conversation.tell([(first.calls[0], "Ann"), (first.calls[1], "nobody")])
        assert ask(conversation, stream) == Answer("It is Ann.", [])
    asked = app.received[1]
    told = api_of(asked.path).results(asked.document)
    assert ["Ann" in told[0], "nobody" in told[1], len(told)] == [True, True, 2]
    assert [received.is_streaming for received in app.received] == [stream, stream]
    assert [received.model for received in app.received] == ["stand-in-1", "stand-in-1"]


@pytest.mark.parametrize(("api", "stream"), EVERY_WAY)
def test_an_error_status_is_the_vendors_own_error(talk, api, stream):
    app = StandIn(Script(*[turn(status=400, error="no such thing")] * 2))
    with (
        serving(app) as url,
        pytest.raises(
            (openai.BadRequestError, anthropic.BadRequestError, errors.ClientError), match="no such thing"
        ),
    ):
        ask(talk(api, url), stream)


@pytest.mark.parametrize("api", APIS)
def test_a_cut_stream_is_seen_as_broken(talk, api):
    app = StandIn(Script(turn("one", Cut())))
    with serving(app) as url, pytest.raises(Exception, match=r"(?i)incomplete|connection|closed|disconnect"):
        ask(talk(api, url), stream=True)
    assert not app.received[0].was_left


def test_a_pause_holds_what_follows_and_a_client_that_leaves_is_noticed():
    pause = threading.Event()
    app = StandIn(Script(turn(Text("first", 1), Pause(pause), Text("second", 1))))
    with serving(app) as url:
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="key")
        stream = client.chat.completions.create(model="m", messages=[], stream=True)
        heard = [next(stream).choices[0].delta.content, next(stream).choices[0].delta.content]
        assert heard == ["", "first"]
        stream.close()
        client.close()
        assert app.received[0].ended.wait(20)
        pause.set()
    assert app.received[0].was_left


def test_gemini_streams_a_json_array_where_events_are_not_asked_for():
    app = StandIn(Script(turn("ab", ToolCall("crm.get", '{"id": 7}'))))
    with serving(app) as url:
        answer = httpx.post(f"{url}/v1beta/models/m:streamGenerateContent", json={"contents": []})
    assert answer.headers["content-type"] == "application/json"
    parts = [chunk["candidates"][0]["content"]["parts"][0] for chunk in json.loads(answer.text)]
    assert parts == [
        {"text": "a"},
        {"text": "b"},
        {"functionCall": {"name": "crm.get", "args": {"id": 7}}},
        {"text": ""},
    ]


def test_arguments_and_items_are_written_as_they_are():
    bad = '{"id": NaN, "id": 1'
    shell = {
        "type": "shell_call",
        "id": "sh_1",
        "call_id": "c",
        "status": "completed",
        "action": {"commands": ["ls"]},
    }
    app = StandIn(
        Script(turn(Thought("hm"), ToolCall("crm.get", bad), Item(shell)), turn(ToolCall("crm.get", bad)))
    )
    with serving(app) as url:
        responses = httpx.post(f"{url}/v1/responses", json={"model": "m", "input": "hi"}).json()["output"]
        gemini = httpx.post(f"{url}/v1beta/models/m:generateContent", json={"contents": []})
    assert [item["type"] for item in responses] == ["reasoning", "function_call", "shell_call"]
    assert (responses[1]["arguments"], responses[2]) == (bad, shell)
    assert bad in gemini.text


def test_a_request_beyond_the_script_and_another_path():
    app = StandIn(Script())
    with serving(app) as url:
        assert httpx.post(f"{url}/v1/messages", json={}).status_code == 500
        assert httpx.get(f"{url}/v1/models").json() == {"path": "/v1/models"}
