"""`--events URL`, against a real server, and against answers that no server should give."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from server.process import ServerProcess, eventually

from policyc.cli import event_server
from policyc.cli.event_server import EventsError, fetch_events

CALLS = [{"tool": "payment.pay", "args": {"amount_cents": 150000, "n": n}, "agent": "a"} for n in range(7)]


@pytest.mark.slow
def test_the_events_of_a_server_are_counted_in_their_region(policyc, bundle, tmp_path, monkeypatch):
    policy = bundle / "policies/pay.yaml"
    (tmp_path / "new/policies").mkdir(parents=True)
    (tmp_path / "new/bundle.yaml").write_text("bundle: pay\nmask: [$.card]\n")
    (tmp_path / "new/policies/pay.yaml").write_text(policy.read_text().replace("100000", "200000"))
    monkeypatch.setenv("POLICYC_TOKEN", "a-token-of-the-tests-own")
    monkeypatch.setattr(event_server, "_PAGE", 3)
    server = ServerProcess(tmp_path / "new", "--state", tmp_path / "state").ready()
    try:
        key = {"authorization": "Bearer a-token-of-the-tests-own"}
        masked = {"tool": "payment.pay", "args": {"card": "4111", "amount_cents": 1}}
        httpx.post(f"{server.url}/v1/evaluate", json=[*CALLS, masked], headers=key).raise_for_status()
        arrived = f"{server.url}/v1/events"
        eventually(lambda: len(httpx.get(arrived, headers=key).json()["events"]) == 8)
        answer = policyc("diff", "pay", "new", "--events", server.url)
        assert '7 recorded calls, by "a" (7), of "payment.pay" (7)' in answer.out
        assert (
            '8 recorded calls: 7 flipped, 1 not decided again (masked 1), of "payment.pay" (1)' in answer.out
        )
        document = policyc(
            "diff", "pay", "new", "--events", f"{server.url}/v1/events?agent=b", "--format", "json"
        ).json
        assert document["traffic"]["calls"] == 0
        assert (
            policyc("replay", f"{server.url}/?agent=a", "pay", "--format", "json").json["flips"][0]["calls"]
            == 7
        )
        monkeypatch.setenv("POLICYC_TOKEN", "another")
        refused = policyc("diff", "pay", "new", "--events", server.url)
        assert refused.code == 2
        assert "error[events_refused]" in refused.err
        assert "POLICYC_TOKEN" in refused.err
        assert "another" not in refused.err
    finally:
        server.kill()


@contextmanager
def answering(answer: Callable[[str], tuple[int, bytes]]) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            status, body = answer(self.path)
            self.send_response(status)
            if status == 302:
                self.send_header("location", "http://127.0.0.1:1/")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def page(events: list[Any], following: object) -> bytes:
    return json.dumps({"events": events, "next": following}).encode()


def test_pages_are_followed_to_the_last_below_the_path_of_a_proxy():
    pages = {None: ([3, 2], "2"), "2": ([1], None)}

    def answer(path: str) -> tuple[int, bytes]:
        return 200, page(*pages[httpx.URL(path).params.get("before")])

    with answering(answer) as (url, asked):
        assert fetch_events(f"{url}/policy/?agent=a%20b&verdict=deny&verdict=audit").events == [3, 2, 1]
    assert asked[0].startswith("/policy/v1/events?")
    assert dict(httpx.URL(asked[1]).params)["agent"] == "a b"
    assert httpx.URL(asked[1]).params.get_list("verdict") == ["deny", "audit"]


def test_the_newest_are_enough():
    with answering(lambda _path: (200, page([5, 4], "4"))) as (url, _):
        found = fetch_events(url, most=2)
    assert (found.events, found.more) == ([5, 4], True)


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, b'{"error": {"message": "send a key"}}', "events_refused"),
        (404, b"<html>", "events_refused"),
        (302, b"", "events_refused"),
        (200, b"<html>", "events_unreadable"),
        (200, b'{"events": 1}', "events_unreadable"),
        (200, page([1], 7), "events_unreadable"),
        (200, page([1], "9"), "events_unreadable"),  # the same page again and again
    ],
)
def test_an_answer_that_is_none_ends_it(status, body, code):
    with answering(lambda _path: (status, body)) as (url, asked), pytest.raises(EventsError) as caught:
        fetch_events(url)
    assert caught.value.code == code
    assert len(asked) <= 2


def test_a_page_without_an_end_is_cut_off(monkeypatch):
    monkeypatch.setattr(event_server, "_LARGEST_PAGE", 1000)
    with (
        answering(lambda _path: (200, b" " * 2000)) as (url, _),
        pytest.raises(EventsError, match="1000 bytes"),
    ):
        fetch_events(url)


def test_a_server_that_is_silent_or_away(monkeypatch):
    monkeypatch.setattr(event_server, "_READ_WITHIN", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(EventsError, match="gives no answer") as caught:
            fetch_events(url)
    assert caught.value.code == "events_unreachable"
    with pytest.raises(EventsError, match="gives no answer"):
        fetch_events(url)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://policy.example.com", "use https://"),
        ("https://user:secret@policy.example.com", "give the key as POLICYC_TOKEN"),
        ("https://", "names no host"),
        ("https://policy.example.com/?limit=5", "`limit` is set for each page"),
    ],
)
def test_what_is_not_asked(url, said):
    with pytest.raises(EventsError, match=said) as caught:
        fetch_events(url)
    assert "secret" not in str(caught.value)


def test_a_key_that_is_none_is_not_sent(monkeypatch):
    monkeypatch.setenv("POLICYC_TOKEN", "two\nlines")
    with pytest.raises(EventsError, match="characters"):
        fetch_events("https://policy.example.com")


def test_a_file_may_be_named_like_anything(policyc, bundle, tmp_path: Path):
    (tmp_path / "e.jsonl").write_text(json.dumps(CALLS[0]) + "\n")
    assert policyc("diff", bundle, bundle, "--events", "e.jsonl").out.endswith("1 recorded call: 0 flipped\n")
