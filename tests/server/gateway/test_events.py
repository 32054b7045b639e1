"""What the store has of a request: each offered tool and each call, with its run, and what it cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from policyc_server.settings_file.prices import Price
from policyc_server.store.database import sqlite_url
from starlette.types import Receive, Scope, Send

from server.approvals.material import As, make_keys
from server.gateway.running import (
    DONE,
    JSON,
    Gateway,
    RawUpstream,
    answer,
    call,
    call_chunk,
    chat_request,
    chunk,
    completion,
    stream,
)
from server.process import eventually

Before = Callable[..., Gateway]
RUN = {"x-policyc-run": "r1", "x-policyc-session": "s1", "x-policyc-agent": "crm"}
DEAR = (Price("*", input=10_000_000, output=0, cached_input=0, cache_write=0),)
PRICES = (Price("gpt-5", input=100_000, output=200_000, cached_input=0, cache_write=0),)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


def test_every_tool_and_call_becomes_an_event_of_its_run(before: Before, state: Path) -> None:
    turn = completion(None, call("crm.get", '{"id": 7}'), call("db.drop", "{}", 1))
    gateway = before(RawUpstream(answer(turn)), state=state)
    gateway.chat("crm.get", headers=RUN)
    events = eventually(lambda: found if len(found := gateway.events()) == 3 else None)
    told = [(one["surface"], one["stage"], one["tool"], one["verdict"], one["rule"]) for one in events]
    assert told == [
        ("inbound", "inbound", "crm.get", "allow", None),
        ("response", "response", "crm.get", "allow", None),
        ("response", "response", "db.drop", "deny", "no drops"),
    ]
    assert {(one["run"], one["session"], one["agent"]) for one in events} == {("r1", "s1", "crm")}
    assert events[1]["args"] == {"id": 7}


def test_unreadable_arguments_are_not_kept(before: Before, state: Path) -> None:
    upstream = RawUpstream(
        answer(completion(None, call("crm.get", '{"password": "x'))), answer(completion("x"))
    )
    gateway = before(upstream, state=state)
    gateway.chat(headers=RUN)
    (event,) = eventually(gateway.events)
    assert (event["verdict"], event["reason_code"]) == ("deny", "arguments_unknown")
    assert event["args"] == {"unreadable": "invalid_json"}


def ask(gateway: Gateway, **more: object) -> int:
    found = gateway.chat("costly.tool", headers=RUN, more=more)
    return found.status_code


def test_a_run_is_stopped_once_its_answers_cost_too_much(before: Before, state: Path) -> None:
    # 10 tokens in and 5 out are 2 cents; more than 5 are not allowed.
    upstream = RawUpstream(*[answer(completion("ok")) for _ in range(9)])
    gateway = before(upstream, state=state, prices=PRICES)
    assert [ask(gateway) for _ in range(5)] == [200, 200, 200, 400, 400]
    other = gateway.chat("costly.tool", headers={**RUN, "x-policyc-run": "r2"})
    assert other.status_code == 200
    assert len(upstream.requests) == 4


def test_answers_of_less_than_a_cent_add_up(before: Before, state: Path) -> None:
    prices = (Price("*", input=20_000, output=0, cached_input=0, cache_write=0),)  # 0.2 cents an answer
    upstream = RawUpstream(*[answer(completion("ok")) for _ in range(40)])
    gateway = before(upstream, state=state, prices=prices)
    assert [ask(gateway) for _ in range(28)].index(400) == 26


def test_each_round_costs(before: Before, state: Path) -> None:
    turns = [answer(completion(None, call("db.drop"))) for _ in range(3)]
    gateway = before(RawUpstream(*turns), state=state, prices=PRICES)
    assert [ask(gateway), ask(gateway)] == [200, 400]


def test_a_model_without_a_price_costs_as_the_dearest(before: Before, state: Path) -> None:
    upstream = RawUpstream(*[answer(completion("ok")) for _ in range(9)])
    gateway = before(upstream, state=state, prices=PRICES)
    assert [ask(gateway, model="unheard-of") for _ in range(4)] == [200, 200, 200, 400]


def test_an_answer_without_usage_costs_by_its_bytes(before: Before, state: Path) -> None:
    gateway = before(RawUpstream(answer(b'{"choices": []}')), state=state, prices=PRICES)
    assert [ask(gateway), ask(gateway)] == [200, 400]


@pytest.mark.parametrize("pieces", [[b'{"choices": [{'], [b'{"choices": [', None], [b" " * 5000]])
def test_a_whole_answer_that_is_of_no_use_costs(before: Before, state: Path, pieces: list) -> None:
    more = {"answer_limit": 4096}
    gateway = before(RawUpstream((200, JSON, pieces)), state=state, prices=DEAR, upstream=more)
    assert [ask(gateway), ask(gateway)] == [502, 400]


def test_a_request_that_nobody_waited_for_costs(before: Before, state: Path) -> None:
    class Silent(RawUpstream):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
            if scope["type"] == "http":
                await asyncio.sleep(1)

    late = before(Silent(), state=state, prices=DEAR, upstream={"read_timeout": 0.1})
    assert [ask(late), ask(late)] == [504, 400]
    late.close()
    left = before(Silent(), state=state, prices=DEAR)
    headers = {**RUN, "x-policyc-run": "r2"}
    with pytest.raises(httpx.ReadTimeout):
        left.chat("costly.tool", headers=headers, timeout=0.3)
    assert eventually(lambda: left.chat("costly.tool", headers=headers, timeout=9).status_code == 400)


def test_a_stream_that_breaks_costs_what_came_of_it_whatever_its_beginning_says(
    before: Before, state: Path
) -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    start = {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": usage}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a" * 600}}
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}
    written = [b"data: " + json.dumps(one).encode() + b"\n\n" for one in (start, block, error)]
    for number, pieces in enumerate(([*written[:2], None], written)):
        gateway = before(RawUpstream(stream(*pieces)), kind="anthropic", state=state, prices=PRICES)
        request = {"model": "gpt-5", "messages": [], "tools": [{"name": "costly.tool", "input_schema": {}}]}
        headers = {**RUN, "x-policyc-run": f"r{number}"}
        found = [gateway.post("/v1/messages", request, headers=headers).status_code for _ in range(2)]
        assert found == [200, 400]
        gateway.close()


def test_without_a_run_a_cap_cannot_be_known_and_denies(before: Before, state: Path) -> None:
    gateway = before(RawUpstream(), state=state, prices=PRICES)
    found = gateway.chat("costly.tool")
    assert found.json()["error"]["metadata"]["reason_code"] == "budget_unknown"


def test_a_stream_is_asked_for_its_usage_and_the_client_hears_of_it_only_where_it_asked(
    before: Before, state: Path
) -> None:
    body = [chunk({"content": "ok"}), chunk({}, "stop")]
    usage = b'data: {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 0}}\n\n'
    upstream = RawUpstream(*[stream(*body, usage, DONE) for _ in range(2)])
    gateway = before(upstream, state=state, prices=PRICES)
    hidden = gateway.chat("costly.tool", headers=RUN, more={"stream": True})
    assert hidden.content == b"".join([*body, DONE])
    assert upstream.documents()[0]["stream_options"] == {"include_usage": True}
    shown = gateway.chat(headers=RUN, more={"stream": True, "stream_options": {"include_usage": True}})
    assert shown.content == b"".join([*body, usage, DONE])
    assert ask(gateway) == 400  # 20 cents


def test_an_approved_call_passes_once(before: Before, state: Path) -> None:
    secrets = make_keys(sqlite_url(state), "shop-agent", "dana")
    turn = completion(None, call("deploy.release", '{"service": "shop"}'))
    upstream = RawUpstream(*[one for _ in range(4) for one in (answer(turn), answer(completion("Held.")))])
    gateway = before(upstream, state=state)
    headers = {"authorization": f"Bearer {secrets['shop-agent']}", "x-policyc-run": "r"}
    dana = As(gateway.client.request, secrets["dana"])

    def release(arguments: str = '{"service": "shop"}') -> bytes:
        upstream.answers = [
            answer(completion(None, call("deploy.release", arguments))),
            answer(completion("Held.")),
        ]
        return gateway.chat("deploy.release", headers=headers).content

    assert release() == completion("Held.")
    told = upstream.documents()[-1]["messages"][-1]["content"]
    (approval,) = dana.get("/v1/approvals").json()["approvals"]
    assert approval["id"] in told
    assert (approval["tool"], approval["surface"], approval["agent"]) == (
        "deploy.release",
        "response",
        "shop",
    )
    assert release() == completion("Held.")
    dana.approve(approval["id"])
    assert release('{"service": "other"}') == completion("Held.")
    assert release() == turn
    assert release() == completion("Held.")


def test_an_approved_call_passes_once_in_a_stream_too(before: Before, state: Path) -> None:
    secrets = make_keys(sqlite_url(state), "shop-agent", "dana")
    body = [call_chunk(0, id="a", name="deploy.release"), call_chunk(0, "{}"), chunk({}, "tool_calls"), DONE]
    held = [chunk({"content": "Held."}), chunk({}, "stop"), DONE]
    upstream = RawUpstream(stream(*body), stream(*held), stream(*body), stream(*body), stream(*held))
    gateway = before(upstream, state=state)
    headers = {"authorization": f"Bearer {secrets['shop-agent']}", "x-policyc-run": "r"}
    dana = As(gateway.client.request, secrets["dana"])
    document = chat_request("deploy.release", stream=True)
    path = "/v1/chat/completions"
    assert b"deploy" not in gateway.post(path, document, headers=headers).content
    (approval,) = dana.get("/v1/approvals").json()["approvals"]
    dana.approve(approval["id"])
    assert gateway.post(path, document, headers=headers).content == b"".join(body)
    assert b"deploy" not in gateway.post(path, document, headers=headers).content
