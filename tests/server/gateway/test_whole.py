"""Answers in one piece: released as they came, or with what the policy makes of them."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.gateway.running import (
    JSON,
    Gateway,
    RawUpstream,
    answer,
    call,
    chat_request,
    completion,
    open_gateway,
)

Before = Callable[..., Gateway]
SMALL, LARGE = '{"amount": 1}', '{"amount": 1000}'


def message(found: Any) -> dict[str, Any]:
    said: dict[str, Any] = found.json()["choices"][0]["message"]
    return said


def test_an_allowed_call_reaches_the_client_byte_for_byte(before: Before) -> None:
    body = completion("ok", call("payment.pay", SMALL))
    upstream = RawUpstream(answer(body, **{"x-request-id": "r1"}))
    found = before(upstream).chat("payment.pay")
    assert (found.status_code, found.content) == (200, body)
    assert found.headers["x-request-id"] == "r1"
    assert upstream.documents() == [chat_request("payment.pay")]


def test_a_blocked_call_goes_back_to_the_model_and_its_next_answer_to_the_client(before: Before) -> None:
    second = completion("I will ask.")
    upstream = RawUpstream(answer(completion("Paying.", call("payment.pay", LARGE))), answer(second))
    found = before(upstream).chat("payment.pay")
    assert found.content == second
    assert found.headers["x-policyc-rounds"] == "1"
    turn, result = upstream.documents()[1]["messages"][-2:]
    assert (turn["role"], turn["content"], turn["tool_calls"]) == (
        "assistant",
        "Paying.",
        [call("payment.pay", LARGE)],
    )
    assert (result["role"], result["tool_call_id"]) == ("tool", "call_0")
    for part in ("Too much money.", "payment cap", "payment_cap"):
        assert part in result["content"]


@pytest.mark.parametrize("rounds", [0, 2])
def test_a_model_that_insists_gets_a_refusal_after_max_rounds(before: Before, rounds: int) -> None:
    upstream = RawUpstream(*[answer(completion("Hm.", call("db.drop"))) for _ in range(rounds + 1)])
    found = before(upstream, upstream={"max_rounds": rounds}).chat("db.drop")
    choice = found.json()["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert "tool_calls" not in choice["message"]
    assert choice["message"]["content"].startswith('Hm.\n\ntool "db.drop" blocked by firewall: Never.')
    assert len(upstream.requests) == rounds + 1


def test_a_mixed_turn_keeps_what_is_allowed_and_notes_what_is_not(before: Before) -> None:
    allowed = call("crm.get", '{"id":  7}', 1)
    upstream = RawUpstream(answer(completion("Both.", call("db.drop"), allowed)))
    found = message(before(upstream).chat("db.drop", "crm.get"))
    assert found["tool_calls"] == [allowed]
    assert "blocked by firewall" in found["content"]
    assert len(upstream.requests) == 1


def test_sanitize_rewrites_the_arguments(before: Before) -> None:
    upstream = RawUpstream(answer(completion(None, call("mail.send", '{"to": "ann@example.com", "n": 1}'))))
    (sent,) = message(before(upstream).chat("mail.send"))["tool_calls"]
    assert json.loads(sent["function"]["arguments"]) == {"to": "[redacted:email]", "n": 1}


def test_what_needs_no_redaction_is_not_written_anew(before: Before) -> None:
    body = completion(None, call("mail.send", '{"to":   "nobody"}'))
    assert before(RawUpstream(answer(body))).chat("mail.send").content == body


@pytest.mark.parametrize(
    "arguments",
    [
        '{"amount": 1',
        '{"amount": 1000, "amount": 1}',
        '{"amount": NaN}',
        '{"amount": 1e999}',
        '{"amount": -Infinity}',
        "[1]",
        "null",
        '"text"',
        '{"amount": 1} {"amount": 1000}',
        "{'amount': 1}",
        '{"a":' * 200 + "1" + "}" * 200,
        '{"amount": ' + "9" * 5000 + "}",
    ],
)
def test_arguments_that_cannot_be_known_are_never_released(before: Before, arguments: str) -> None:
    upstream = RawUpstream(answer(completion(None, call("crm.get", arguments))), answer(completion("Sorry.")))
    found = before(upstream).chat("crm.get")
    assert message(found) == {"role": "assistant", "content": "Sorry."}
    turn, result = upstream.documents()[1]["messages"][-2:]
    assert turn["tool_calls"][0]["function"]["arguments"] == "{}"
    assert "arguments_unknown" in result["content"]


def test_unknown_arguments_may_be_what_an_enforcing_rule_is_about(before: Before) -> None:
    upstream = RawUpstream(answer(completion(None, call("payment.pay", "{"))), answer(completion("Sorry.")))
    before(upstream).chat("payment.pay")
    assert "payment_cap" in upstream.documents()[1]["messages"][-1]["content"]


@pytest.mark.parametrize("arguments", ["", "  "])
def test_no_arguments_are_none(before: Before, arguments: str) -> None:
    body = completion(None, call("crm.list", arguments))
    assert before(RawUpstream(answer(body))).chat("crm.list").content == body


def test_more_calls_than_any_model_makes_are_not_passed_on(before: Before) -> None:
    body = completion(None, *(call("crm.get", "{}", number) for number in range(2001)))
    found = before(RawUpstream(answer(body))).chat("crm.get")
    assert found.json()["error"]["code"] == "upstream_unreadable"


def test_choices_side_by_side_are_not_continued(before: Before) -> None:
    choices = [
        {
            "index": n,
            "message": {"role": "assistant", "tool_calls": [call(name)]},
            "finish_reason": "tool_calls",
        }
        for n, name in enumerate(("db.drop", "crm.get"))
    ]
    body = json.dumps({"choices": choices}).encode()
    found = before(RawUpstream(answer(body))).chat("db.drop", more={"n": 2}).json()["choices"]
    assert "tool_calls" not in found[0]["message"]
    assert found[0]["finish_reason"] == "stop"
    assert found[1] == choices[1]


@pytest.mark.parametrize(
    "entry",
    [
        {"id": "1", "type": "shiny", "shiny": {"name": "crm.get", "arguments": "{}"}},
        {"id": "1", "type": "function", "function": {"name": "crm.get"}},
        {"id": "1", "type": "function", "function": {"arguments": "{}"}},
        {
            "id": "1",
            "type": "function",
            "function": {"name": "a", "arguments": "{}"},
            "custom": {"name": "b"},
        },
    ],
)
def test_a_call_of_an_unknown_shape_is_blocked(before: Before, entry: dict[str, Any]) -> None:
    upstream = RawUpstream(answer(completion(None, entry)), answer(completion("Sorry.")))
    assert "tool_calls" not in message(before(upstream, upstream={"max_rounds": 0}).chat("crm.get"))


def test_legacy_and_custom_calls_are_judged(before: Before) -> None:
    legacy = json.loads(completion("x"))
    legacy["choices"][0]["message"]["function_call"] = {"name": "payment.pay", "arguments": LARGE}
    custom = {"id": "1", "type": "custom", "custom": {"name": "db.drop", "input": "all"}}
    for body in (json.dumps(legacy).encode(), completion(None, custom)):
        upstream = RawUpstream(answer(body), answer(completion("Sorry.")))
        assert message(before(upstream).chat("x"))["content"] == "Sorry."


@pytest.mark.parametrize(
    ("coding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", lambda body: body)],
)
def test_packed_answers_are_read(before: Before, coding: str, pack: Callable[[bytes], bytes]) -> None:
    body = completion(None, call("payment.pay", LARGE))
    upstream = RawUpstream(
        answer(pack(body), **{"content-encoding": coding}),
        answer(pack(completion("No.")), **{"content-encoding": coding}),
    )
    found = before(upstream).chat("payment.pay")
    assert message(found)["content"] == "No."
    assert "content-encoding" not in found.headers
    assert upstream.headers()["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    ("body", "headers", "code"),
    [
        (b"not json", {}, "upstream_unreadable"),
        (b'{"choices": [], "choices": [{"message": {}}]}', {}, "upstream_unreadable"),
        (b'{"choices": {}}', {}, "upstream_unreadable"),
        (b'{"choices": [{"delta": {"tool_calls": [{"id": "1"}]}}]}', {}, "upstream_unreadable"),
        (b'{"choices": [{"message": {"tool_calls": {}}}], "x": NaN}', {}, "upstream_unreadable"),
        (b'{"choices": "\xff"}', {}, "upstream_unreadable"),
        (completion("x"), {"content-encoding": "br"}, "upstream_unreadable"),
        (completion("x"), {"content-encoding": "gzip"}, "upstream_unreadable"),
        (gzip.compress(completion("x"))[:-9], {"content-encoding": "gzip"}, "upstream_failed"),
        (completion("x" * 5000), {}, "upstream_too_large"),
        (gzip.compress(completion("x" * 5000)), {"content-encoding": "gzip"}, "upstream_too_large"),
    ],
)
def test_an_answer_that_cannot_be_inspected_is_not_passed_on(
    before: Before, body: bytes, headers: dict[str, str], code: str
) -> None:
    gateway = before(RawUpstream(answer(body, **headers)), upstream={"answer_limit": 4096})
    found = gateway.chat()
    assert (found.status_code, found.json()["error"]["code"]) == (502, code)


def test_a_redirect_is_neither_followed_nor_passed_on(before: Before) -> None:
    upstream = RawUpstream((307, {"location": "https://elsewhere.example/v1/chat/completions"}, [b""]))
    found = before(upstream).chat()
    assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_unreadable")
    assert "location" not in found.headers


def test_an_error_of_upstream_is_passed_on(before: Before) -> None:
    body = b'{"error":  {"message": "slow down"}}'
    failed = (429, {"content-type": "application/json", "retry-after": "3"}, [body])
    found = before(RawUpstream(failed)).chat("crm.get")
    assert (found.status_code, found.content, found.headers["retry-after"]) == (429, body, "3")


def test_where_upstream_fails_the_second_time_the_first_turn_stands_with_notes(before: Before) -> None:
    first = answer(completion("Paying.", call("payment.pay", LARGE)))
    found = before(RawUpstream(first, (500, {}, [b"{}"]))).chat("payment.pay")
    assert found.status_code == 200
    assert message(found)["content"].startswith('Paying.\n\ntool "payment.pay" blocked')


def test_a_late_upstream_is_a_504(before: Before) -> None:
    never = threading.Event()
    upstream = RawUpstream((200, JSON, [never]))
    found = before(upstream, upstream={"read_timeout": 0.2}).chat()
    assert (found.status_code, found.json()["error"]["code"]) == (504, "upstream_timeout")
    assert upstream.left.wait(10)


def test_an_upstream_that_is_not_there_is_a_502(policy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    gateway = open_gateway(policy, url)
    try:
        found = gateway.chat()
    finally:
        gateway.close()
    assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_failed")


def test_megabytes_of_arguments_pass(before: Before) -> None:
    body = completion(None, call("crm.put", json.dumps({"text": "x" * 3_000_000})))
    assert before(RawUpstream(answer(body))).chat("crm.put").content == body
