"""Slow, broken and abandoned streams."""

from __future__ import annotations

import threading

import httpx
import pytest
from official_clients import APIS

from policyc.stand_in.script import Cut, Pause, Text, ToolCall, turn
from server.gateway.clients.firewall import GET, TOO_MUCH, ask, request
from server.process import eventually

pytestmark = pytest.mark.slow

EVERY_API = pytest.mark.parametrize("api", APIS)


class Left(Exception):
    """The user closed the window."""


@EVERY_API
def test_text_flows_at_once_also_while_a_call_is_held(firewall, api):
    before, after = threading.Event(), threading.Event()
    firewall.says(
        turn(Text("first ", 1), Pause(before), TOO_MUCH, Text("second ", 1), Pause(after)), turn("end")
    )
    heard = []

    def hear(text):
        heard.append(text)
        # The upstream says no more before this was heard.
        {"first ": before, "second ": after}.get(text, threading.Event()).set()

    answer = firewall.talk(api).ask(hear)
    assert answer.text == "".join(heard)
    assert answer.text.split() == ["first", "second", "end"]
    assert [before.is_set(), after.is_set()] == [True, True]


@EVERY_API
def test_an_allowed_call_is_released_before_the_turn_is_over(firewall, api):
    pause = threading.Event()
    firewall.says(turn(GET, ToolCall("crm.search"), Pause(pause), Text("then", 1)))
    path, body = request(api, stream=True)
    got = b""
    url = firewall.base_url(api) + path
    with httpx.stream("POST", url, json=body, headers=firewall.headers, timeout=90) as answer:
        for piece in answer.iter_raw():
            got += piece
            if b"crm.get" in got and not pause.is_set():
                # The upstream says no more before this was read.
                assert not firewall.received[0].ended.is_set()
                pause.set()
    assert b"crm.search" in got
    assert b"then" in got


@EVERY_API
def test_a_broken_stream_is_an_error_for_the_client_and_releases_no_call(firewall, api):
    firewall.says(turn(Text("first ", 1), TOO_MUCH, Cut()), turn("never asked"))
    heard = []
    with pytest.raises(Exception, match=r"(?i)upstream|incomplete|connection|closed|broke"):
        firewall.talk(api).ask(heard.append)
    assert heard[0] == "first "
    assert "250000" not in str(heard)
    assert len(firewall.received) == 1


@EVERY_API
def test_a_client_that_leaves_ends_the_upstreams_work(firewall, api):
    pause = threading.Event()
    firewall.says(turn(Text("first ", 1), Pause(pause), Text("second", 1)))

    def leave(_text):
        raise Left

    conversation = firewall.talk(api)
    with pytest.raises(Left):
        conversation.ask(leave)
    conversation.client.close()
    eventually(lambda: firewall.received[0].ended.is_set(), 30)
    pause.set()
    assert firewall.received[0].was_left


@EVERY_API
def test_where_the_model_cannot_be_asked_again_the_client_reads_the_refusal(firewall, api):
    firewall.says(turn("Paying. ", TOO_MUCH), turn(status=400, error="no more"))
    answer = ask(firewall.talk(api), stream=True)
    assert answer.calls == []
    assert answer.text.startswith("Paying. ")
    assert "need a person" in answer.text
