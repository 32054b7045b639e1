"""Tools that a request advertises."""

from __future__ import annotations

import itertools

import anthropic
import httpx
import openai
import pytest
from google.genai import errors
from official_clients import APIS

from policyc.stand_in.script import turn
from server.gateway.clients.firewall import GET, TOO_MUCH, UPSTREAMS, ask

pytestmark = pytest.mark.slow

EVERY_WAY = pytest.mark.parametrize(("api", "stream"), list(itertools.product(APIS, (False, True))))
#: What each vendor's client raises for a request that is refused.
REFUSED = {
    "openai": openai.BadRequestError,
    "anthropic": anthropic.BadRequestError,
    "gemini": errors.ClientError,
}


@EVERY_WAY
def test_a_denied_tool_raises_the_clients_own_error_and_is_asked_once(firewall, api, stream):
    run = f"denied-{UPSTREAMS[api]}-{'responses' in api}-{stream}"
    firewall.says(turn("never"))
    with pytest.raises(REFUSED[UPSTREAMS[api]], match="Shells are for people") as raised:
        ask(firewall.talk(api, ["crm.get", "shell.exec"], run=run), stream)
    told = str(getattr(raised.value, "body", None) or raised.value)
    assert all(
        fact in told for fact in ("firewall_blocked", "'rule': 'no shell'", "'reason_code': 'no_shell'")
    )
    assert firewall.received == []
    verdicts = [(event["tool"], event["verdict"]) for event in firewall.events(run=run)]
    assert sorted(verdicts) == [("crm.get", "allow"), ("shell.exec", "deny")]


@EVERY_WAY
def test_stripped_tools_never_reach_the_model(firewall, api, stream):
    firewall.says(turn("Hi. ", GET))
    answer = ask(firewall.talk(api, ["crm.get", "shell.exec"], prefix="strip-"), stream)
    assert [call.name for call in answer.calls] == ["crm.get"]
    assert b"crm.get" in firewall.received[0].body
    assert b"shell.exec" not in firewall.received[0].body


@EVERY_WAY
def test_a_request_whose_tools_are_all_stripped_has_none(firewall, api, stream):
    firewall.says(turn("Hi."))
    assert ask(firewall.talk(api, ["shell.exec"], prefix="strip-"), stream).text == "Hi."
    assert "tools" not in firewall.received[0].document


def test_an_answer_says_what_was_stripped_and_a_refusal_not_to_retry(firewall):
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "Go on."}],
        "tools": [{"type": "function", "function": {"name": "shell.exec", "parameters": {}}}],
    }
    headers = {"authorization": f"Bearer {firewall.key}"}
    firewall.says(turn("Hi."))
    api = "openai chat completions"
    stripped = httpx.post(
        f"{firewall.base_url(api, 'strip-')}/v1/chat/completions", json=body, headers=headers
    )
    assert stripped.status_code == 200
    assert "shell.exec" in str(stripped.headers)
    refused = httpx.post(f"{firewall.base_url(api)}/v1/chat/completions", json=body, headers=headers)
    assert (refused.status_code, refused.headers["x-should-retry"]) == (400, "false")
    assert refused.json()["error"]["metadata"]["rule"] == "no shell"


@EVERY_WAY
def test_a_model_that_calls_what_was_never_offered_is_judged_all_the_same(firewall, api, stream):
    firewall.says(turn(TOO_MUCH), turn("No."))
    assert ask(firewall.talk(api, []), stream).calls == []
    assert "payment_cap" in firewall.told(1)
