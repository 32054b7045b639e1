"""Everything but the inspected routes: passed on untouched, or closed; and whose credentials go where."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from policyc_server.store.database import sqlite_url

from server.approvals.material import make_keys
from server.gateway.running import EVENTS, Gateway, RawUpstream, answer, chat_request, completion

Before = Callable[..., Gateway]
CHAT = "/v1/chat/completions"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_other_routes_pass_with_method_query_headers_and_body(before: Before, method: str) -> None:
    packed = {"content-encoding": "br", "content-type": "x/y", "x-more": "1"}
    upstream = RawUpstream((207, packed, [b"\x00\x01", b"\x02"]))
    gateway = before(upstream, upstream={})
    path = "/gateway/up/v1/files/a:b%20c?limit=2&after=x%2Fy&key=k"
    found = gateway.client.request(
        method, path, content=b"\xff" * 5, headers={"x-mine": "2", "te": "trailers"}
    )
    scope, body = upstream.requests[0]
    assert (scope["method"], scope["raw_path"]) == (method, b"/v1/files/a:b%20c")
    assert scope["query_string"] == b"limit=2&after=x%2Fy&key=k"
    assert body == b"\xff" * 5
    headers = upstream.headers()
    assert (headers["x-mine"], "te" in headers, headers["content-length"]) == ("2", False, "5")
    assert found.status_code == 207
    assert (found.headers["content-type"], found.headers["x-more"]) == ("x/y", "1")


def test_other_streams_pass_as_they_come(before: Before) -> None:
    later = threading.Event()
    upstream = RawUpstream((200, EVENTS, [b"data: 1\n\n", later, b"data: 2\n\n"]))
    with before(upstream).client.stream("GET", "/gateway/up/v1/models") as response:
        pieces = response.iter_raw()
        assert next(pieces) == b"data: 1\n\n"
        later.set()
        assert b"".join(pieces) == b"data: 2\n\n"


def test_a_base_url_may_have_a_path(before: Before) -> None:
    upstream = RawUpstream(answer(completion("ok")))
    gateway = before(upstream)
    asking = gateway.app._gateway._asking["up"]  # type: ignore[union-attr]
    asking._base = asking._base.copy_with(raw_path=b"/api/")
    gateway.chat()
    assert upstream.requests[0][0]["path"] == "/api" + CHAT


@pytest.mark.parametrize(
    "path",
    [
        "/v1//chat/completions",
        "/v1/chat/completions/",
        "/v1/./chat/completions",
        "/v1/x/../chat/completions",
        "/v1/chat%2Fcompletions",
        "/v1/chat%2fcompletions",
        "/v1/chat/completions;x",
        "/v1/chat/%2e%2e/chat/completions",
        "/v1/chat\\completions",
        "/v1/chat/completions%00",
        "/v1/chat/completions%3Fx",
        "/v1/chat/completions%20",
        "/v1/chat/%20completions",
        "/v1/chat/completions.",
    ],
)
def test_a_path_with_two_readings_is_refused(before: Before, path: str) -> None:
    upstream = RawUpstream()
    gateway = before(upstream)
    # httpx would settle the path before it sends it.
    connection = http.client.HTTPConnection(gateway.url.removeprefix("http://"), timeout=10)
    connection.request("POST", f"/gateway/up{path}", json.dumps(chat_request("shell.exec")))
    with connection.getresponse() as found:
        assert (found.status, json.load(found)["error"]["code"]) == (400, "path_refused")
    connection.close()
    assert upstream.requests == []


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/V1/Chat/Completions", "/v1/chat/complet%69ons", "/chat/completions",
             "/openai/deployments/x/chat/completions", "/api/v1/chat/completions?api-version=1"],
)  # fmt: skip
def test_every_spelling_of_an_inspected_path_is_inspected(before: Before, path: str) -> None:
    gateway = before(RawUpstream())
    url = gateway.client.base_url.copy_with(raw_path=f"/gateway/up{path}".encode())
    found = gateway.client.post(url, json=chat_request("shell.exec"))
    assert found.json()["error"]["code"] == "firewall_blocked"


@pytest.mark.parametrize(
    ("kind", "method", "path"),
    [
        ("openai", "GET", "/v1/chat/completions/abc"),
        ("openai", "POST", "/v1/batches"),
        ("openai", "POST", "/v1/threads/t/runs"),
        ("openai", "POST", "/v1/realtime/sessions"),
        ("anthropic", "POST", "/v1/messages/batches"),
        ("anthropic", "GET", "/v1/messages/batches/b/results"),
        ("anthropic", "POST", "/v1/sessions/s/events"),
        ("anthropic", "GET", "/v1/environments/e/work/poll"),
    ],
)
def test_routes_that_calls_come_out_of_unseen_are_closed(
    before: Before, kind: str, method: str, path: str
) -> None:
    upstream = RawUpstream()
    found = before(upstream, kind=kind).client.request(method, f"/gateway/up{path}")
    assert (found.status_code, found.json()["error"]["code"]) == (403, "route_closed")
    assert upstream.requests == []


def test_there_is_no_gateway_without_upstreams_and_none_of_another_name(before: Before) -> None:
    gateway = before(RawUpstream())
    assert gateway.client.get("/gateway/other/v1/models").status_code == 404
    assert gateway.client.get("/gateway/").status_code == 404


SECRET = "sk-of-the-operator"


@pytest.mark.parametrize(
    ("kind", "theirs", "ours"),
    [
        ("openai", "authorization", f"Bearer {SECRET}"),
        ("anthropic", "x-api-key", SECRET),
        ("gemini", "x-goog-api-key", SECRET),
    ],
)
def test_the_operators_credential_goes_upstream_and_the_clients_stays(
    before: Before, monkeypatch: pytest.MonkeyPatch, kind: str, theirs: str, ours: str
) -> None:
    monkeypatch.setenv("LLM_KEY", SECRET)
    upstream = RawUpstream((200, {}, [b"{}"]))
    gateway = before(upstream, kind=kind, upstream={"credential_env": "LLM_KEY"})
    mine = {
        "authorization": "Bearer mine", "x-api-key": "mine", "api-key": "mine", "x-goog-api-key": "mine",
        "cookie": "mine",
        "x-policyc-key": "mine", "x-policyc-run": "mine", "proxy-authorization": "mine",
    }  # fmt: skip
    gateway.client.get("/gateway/up/v1/models?key=mine&a=1", headers=mine)
    headers = upstream.headers()
    assert headers[theirs] == ours
    kept = {name for name, value in headers.items() if value == "mine"}
    assert kept == set()
    query = upstream.requests[0][0]["query_string"]
    assert query == (b"a=1" if kind == "gemini" else b"key=mine&a=1")


def test_clients_bring_their_key_where_their_library_puts_it(before: Before, state: Path) -> None:
    secret = make_keys(sqlite_url(state), "shop-agent")["shop-agent"]
    for kind, header in (
        ("openai", {"authorization": f"Bearer {secret}"}),
        ("anthropic", {"x-api-key": secret}),
        ("anthropic", {"authorization": f"Bearer {secret}"}),
        ("gemini", {"x-goog-api-key": secret}),
        ("openai", {"x-policyc-key": secret}),
    ):
        upstream = RawUpstream((200, {}, [b"{}"]))
        gateway = before(upstream, kind=kind, state=state)
        assert gateway.client.get("/gateway/up/v1/models").status_code == 401
        assert gateway.client.get("/gateway/up/v1/models", headers=header).status_code == 200
        assert secret not in str(upstream.headers())
        gateway.close()


def test_a_key_in_the_query_is_geminis_way(before: Before, state: Path) -> None:
    secret = make_keys(sqlite_url(state), "shop-agent")["shop-agent"]
    upstream = RawUpstream((200, {}, [b"{}"]))
    gateway = before(upstream, kind="gemini", state=state)
    assert gateway.client.get(f"/gateway/up/v1beta/models?key={secret}").status_code == 200
    assert upstream.requests[0][0]["query_string"] == b""


def test_a_reviewer_has_no_business_at_the_gateway(before: Before, state: Path) -> None:
    secrets = make_keys(sqlite_url(state), "dana")
    gateway = before(RawUpstream(), state=state)
    headers = {"authorization": f"Bearer {secrets['dana']}"}
    found = gateway.client.get("/gateway/up/v1/models", headers=headers)
    assert (found.status_code, found.json()["error"]["code"]) == (403, "forbidden")


def test_a_key_is_of_its_agent_and_no_other(before: Before, state: Path) -> None:
    secret = make_keys(sqlite_url(state), "shop-agent")["shop-agent"]
    gateway = before(RawUpstream(), state=state)
    headers = {"authorization": f"Bearer {secret}", "x-policyc-agent": "other"}
    found = gateway.chat("crm.get", headers=headers)
    assert (found.status_code, found.json()["error"]["code"]) == (403, "agent_mismatch")


def test_a_clients_own_credential_is_passed_through_only_where_that_is_wanted(
    before: Before, state: Path
) -> None:
    secret = make_keys(sqlite_url(state), "shop-agent")["shop-agent"]
    upstream = RawUpstream((200, {}, [b"{}"]))
    gateway = before(upstream, upstream={"passthrough_auth": True}, state=state)
    theirs = {"authorization": "Bearer sk-theirs"}
    assert gateway.client.get("/gateway/up/v1/models", headers=theirs).status_code == 401
    headers = {**theirs, "x-policyc-key": secret}
    assert gateway.client.get("/gateway/up/v1/models", headers=headers).status_code == 200
    assert upstream.headers()["authorization"] == "Bearer sk-theirs"
    assert secret not in str(upstream.headers())
    for mistake in ({"authorization": f"Bearer {secret}"}, {"api-key": secret}, {"x-api-key": secret}):
        mistaken = gateway.client.get("/gateway/up/v1/models", headers={**headers, **mistake})
        assert mistaken.status_code == 401
        assert "X-Policyc-Key" in mistaken.json()["error"]["message"]
    assert gateway.client.get(f"/gateway/up/v1/models?key={secret}", headers=headers).status_code == 401
    assert len(upstream.requests) == 1


def test_a_request_reaches_upstream_as_it_was_read(before: Before) -> None:
    upstream = RawUpstream(answer(completion("ok")))
    tricks = {"content-type": "application/json; charset=utf-7", "x-http-method-override": "GET"}
    before(upstream).chat(headers=tricks)
    headers = upstream.headers()
    assert headers["content-type"] == "application/json"
    assert "x-http-method-override" not in headers


def test_errors_are_worded_as_the_vendor_words_them(before: Before) -> None:
    found = before(RawUpstream(), kind="anthropic").client.post("/gateway/up/v1/messages", content=b"{")
    assert found.json()["type"] == "error"
    assert found.json()["error"]["type"] == "invalid_request_error"
