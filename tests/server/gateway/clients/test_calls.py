"""Calls that the model makes, on each API, streamed and not, as its own client sees them."""

from __future__ import annotations

import itertools
import json

import httpx
import pytest
from official_clients import APIS, Answer

from policyc.stand_in.script import Text, Thought, ToolCall, turn
from server.gateway.clients.firewall import GET, TOO_MUCH, UPSTREAMS, ask, request

pytestmark = pytest.mark.slow

EVERY_WAY = pytest.mark.parametrize(("api", "stream"), list(itertools.product(APIS, (False, True))))
REASON = "Payments above 1,000.00 need a person."


@EVERY_WAY
def test_where_nothing_is_blocked_the_answer_is_byte_for_byte_the_upstreams(firewall, api, stream):
    said = turn(Thought("hm"), Text("Looking é. ", 4), GET, ToolCall("crm.search", '{ "name":"Ω"}'))
    path, body = request(api, stream)
    answers = []
    for url in (firewall.direct, firewall.base_url(api)):
        firewall.says(said)
        answers.append(httpx.post(url + path, json=body, headers=firewall.headers))
    direct, through = answers
    assert through.status_code == 200
    assert through.content == direct.content
    assert through.headers["content-type"] == direct.headers["content-type"]


@EVERY_WAY
def test_parallel_calls_that_are_allowed_arrive_and_their_results_go_back(firewall, api, stream):
    calls = [ToolCall("crm.get", json.dumps({"id": number})) for number in range(5)]
    firewall.says(turn("Five. ", *calls), turn("Done."))
    conversation = firewall.talk(api)
    first = ask(conversation, stream)
    assert first.text == "Five. "
    assert [(call.name, call.args) for call in first.calls] == [("crm.get", {"id": n}) for n in range(5)]
    conversation.tell([(call, f"client {call.args['id']}") for call in first.calls])
    assert ask(conversation, stream) == Answer("Done.", [])
    assert [f"client {number}" in firewall.told(1) for number in range(5)] == [True] * 5


@EVERY_WAY
def test_the_model_is_told_of_a_blocked_call_and_recovers(firewall, api, stream):
    firewall.says(turn("Paying. ", TOO_MUCH), turn("A person has to pay that."), turn("Bye."))
    conversation = firewall.talk(api)
    answer = ask(conversation, stream)
    assert answer.calls == []
    assert answer.text.endswith("A person has to pay that.")
    assert len(firewall.received) == 2
    assert all(fact in firewall.told(1) for fact in (REASON, "cap payment amount", "payment_cap"))
    assert ask(conversation, stream) == Answer("Bye.", [])


@EVERY_WAY
def test_after_the_last_round_the_client_reads_the_refusal(firewall, api, stream):
    firewall.says(*[turn("Paying. ", TOO_MUCH)] * 4)
    answer = ask(firewall.talk(api), stream)
    assert answer.calls == []
    assert REASON in answer.text
    assert len(firewall.received) == 3


@EVERY_WAY
def test_a_recovered_model_may_make_another_call(firewall, api, stream):
    firewall.says(turn(TOO_MUCH), turn("Less then. ", ToolCall("payment.transfer", '{"amount_cents": 5}')))
    answer = ask(firewall.talk(api), stream)
    assert [(call.name, call.args) for call in answer.calls] == [("payment.transfer", {"amount_cents": 5})]
    assert answer.text.endswith("Less then. ")


@EVERY_WAY
@pytest.mark.parametrize("calls", [(GET, TOO_MUCH), (TOO_MUCH, GET), (GET, TOO_MUCH, TOO_MUCH, GET)])
def test_in_a_mixed_turn_the_allowed_calls_go_on_and_the_model_reads_a_note_next(
    firewall, api, stream, calls
):
    firewall.says(turn("Both. ", *calls), turn("Fine."))
    conversation = firewall.talk(api)
    answer = ask(conversation, stream)
    assert [(call.name, call.args) for call in answer.calls] == [("crm.get", {"id": 7})] * calls.count(GET)
    assert answer.text.startswith("Both. ")
    assert REASON in answer.text
    assert len(firewall.received) == 1
    conversation.tell([(call, "Ann") for call in answer.calls])
    assert ask(conversation, stream) == Answer("Fine.", [])
    assert REASON in json.dumps(firewall.received[1].document, ensure_ascii=False)
    assert "250000" not in json.dumps(firewall.received[1].document)


@EVERY_WAY
def test_arguments_of_a_megabyte_arrive(firewall, api, stream):
    note = "x y é" * 180_000
    firewall.says(turn(ToolCall("crm.get", json.dumps({"note": note}, ensure_ascii=False), pieces=400)))
    answer = ask(firewall.talk(api), stream)
    assert [call.args for call in answer.calls] == [{"note": note}]


@EVERY_WAY
def test_a_megabyte_before_the_amount_hides_nothing(firewall, api, stream):
    arguments = json.dumps({"note": "x" * 1_000_000, "amount_cents": 250000})
    firewall.says(turn(ToolCall("payment.transfer", arguments, pieces=400)), turn("No then."))
    answer = ask(firewall.talk(api), stream)
    assert (answer.calls, answer.text) == ([], "No then.")


@EVERY_WAY
@pytest.mark.parametrize("arguments", ['{"id": 1, "id": 2}', '{"id": NaN}', '{"id": 1e999}', '["id"]'])
def test_arguments_that_two_readers_may_read_differently_are_never_released(firewall, api, stream, arguments):
    firewall.says(turn("Hm. ", ToolCall("crm.get", arguments)), turn("Again: ", GET))
    answer = ask(firewall.talk(api), stream)
    assert [(call.name, call.args) for call in answer.calls] == [("crm.get", {"id": 7})]
    assert len(firewall.received) == 2
    assert "reason code" in firewall.told(1)
    assert arguments.encode() not in firewall.received[1].body


@EVERY_WAY
def test_arguments_that_are_no_json_are_never_released(firewall, api, stream):
    firewall.says(*[turn("Hm. ", ToolCall("crm.get", '{"id": 7'))] * 4)
    if UPSTREAMS[api] == "openai" or (UPSTREAMS[api] == "anthropic" and stream):
        answer = ask(firewall.talk(api), stream)
        assert answer.calls == []
        assert "arguments cannot be known" in answer.text
    else:
        # There the arguments are a part of the document, which is none then.
        with pytest.raises(Exception, match="cannot be inspected"):
            ask(firewall.talk(api), stream)


@EVERY_WAY
def test_sanitized_arguments_are_rewritten_and_everything_else_stays(firewall, api, stream):
    mail = ToolCall("mail.send", '{"to": "ann@example.com", "text": "hi", "n": 1.50}')
    firewall.says(turn("Mail. ", mail, GET))
    answer = ask(firewall.talk(api), stream)
    assert answer.text == "Mail. "
    assert [(call.name, call.args) for call in answer.calls] == [
        ("mail.send", {"to": "[redacted:email]", "text": "hi", "n": 1.5}),
        ("crm.get", {"id": 7}),
    ]


@EVERY_WAY
def test_events_of_the_run_tell_the_story(firewall, api, stream):
    run = f"story-{UPSTREAMS[api]}-{'responses' in api}-{stream}"
    firewall.says(turn(TOO_MUCH), turn("Both. ", GET, TOO_MUCH))
    ask(firewall.talk(api, ["crm.get", "payment.transfer"], run=run), stream)
    events = firewall.events(run=run)
    story = sorted((event["surface"], event["tool"], event["verdict"]) for event in events)
    assert story == [
        ("inbound", "crm.get", "allow"),
        ("inbound", "payment.transfer", "allow"),
        ("response", "crm.get", "allow"),
        ("response", "payment.transfer", "deny"),
        ("response", "payment.transfer", "deny"),
    ]
    assert {event["agent"] for event in events} == {"shop"}
