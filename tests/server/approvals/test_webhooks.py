"""New holds are told to those who asked: signed, masked, again until it arrives, and nowhere inside."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hooks.runtime.https_server import CLOSED, HOST, PUBLIC, PublicWire, Server
from policyc_server.approvals.announcing import Announcer
from policyc_server.approvals.sending import send
from policyc_server.approvals.signing import problem
from policyc_server.settings import Settings, check_settings
from policyc_server.store.database import sqlite_url
from policyc_server.store.deliveries import Delivery, add_deliveries
from policyc_server.store.store import Store

from policyc.hooks.runtime.wire import Wire
from server.approvals.material import DEPLOY, As, make_keys
from server.approvals.receiver import Receiver
from server.process import ServerProcess, eventually
from server.store.test_approvals import HOLD

SECRET = "a secret of the webhook"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    opened = Receiver(statuses=(500,))
    yield opened
    opened.close()


@pytest.fixture
def serve_webhooks(
    serve: Callable[..., ServerProcess], artifact: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], ServerProcess]:
    monkeypatch.setenv("POLICYC_WEBHOOK_SECRET", SECRET)
    return lambda url: serve(artifact, "--state", state, "--webhook", url, "--webhook-loopback").ready()


def test_a_hold_is_told_until_it_arrives(
    serve_webhooks: Callable[[str], ServerProcess], state: Path, receiver: Receiver
) -> None:
    secrets = make_keys(sqlite_url(state))
    server = serve_webhooks(receiver.url)
    agent = As(server.client.request, secrets["shop-agent"])
    approval = agent.hold()
    agent.hold()  # the same one is not told twice
    eventually(lambda: len(receiver.deliveries) == 2)
    (failed, first), (headers, body) = receiver.deliveries
    assert first == body
    assert failed["X-Policyc-Delivery"] == headers["X-Policyc-Delivery"]
    assert headers["X-Policyc-Event"] == "firewall.approval.pending"
    assert problem(headers, SECRET, body, time.time()) is None
    said = json.loads(body)
    assert (said["event"], said["data"]["approval_id"]) == ("firewall.approval.pending", approval)
    assert (said["data"]["tool"], said["data"]["args"]) == (DEPLOY["tool"], DEPLOY["args"])
    store = Store(sqlite_url(state))
    eventually(lambda: deliveries(store)[0]["delivered_at"])
    assert deliveries(store)[0]["due_at"] is None
    store.close()


def test_a_receiver_that_hangs_keeps_nothing_from_the_others(
    serve: Callable[..., ServerProcess], artifact: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLICYC_WEBHOOK_SECRET", SECRET)
    secrets = make_keys(sqlite_url(state))
    hanging, other = Receiver(), Receiver()
    hanging.answering.clear()
    urls = ("--webhook", hanging.url, "--webhook", other.url, "--webhook-loopback")
    agent = As(serve(artifact, "--state", state, *urls).ready().client.request, secrets["shop-agent"])
    for number in range(3):
        agent.hold({**DEPLOY, "args": {"number": number}})
    eventually(lambda: len(other.deliveries) == 3)
    assert len(hanging.deliveries) == 1
    hanging.close()
    other.close()


def deliveries(store: Store) -> list[Any]:
    with store._engine.connect() as connection:
        return list(connection.exec_driver_sql("SELECT * FROM deliveries").mappings())


def test_a_delivery_outlives_the_server(serve_webhooks: Callable[[str], ServerProcess], state: Path) -> None:
    secrets = make_keys(sqlite_url(state))
    gone = Receiver()
    gone.close()
    server = serve_webhooks(gone.url)
    As(server.client.request, secrets["shop-agent"]).hold()
    server.kill()
    back = Receiver(gone.port)
    try:
        serve_webhooks(back.url)
        eventually(lambda: back.deliveries, within=45)
    finally:
        back.close()


def test_what_was_decided_is_not_told(serve_webhooks: Callable[[str], ServerProcess], state: Path) -> None:
    secrets = make_keys(sqlite_url(state))
    gone = Receiver()
    gone.close()
    server = serve_webhooks(gone.url)
    approval = As(server.client.request, secrets["shop-agent"]).hold()
    As(server.client.request, secrets["dana"]).deny(approval)
    store = Store(sqlite_url(state))
    eventually(lambda: deliveries(store)[0]["due_at"] is None)
    assert deliveries(store)[0]["error"] == "the hold is over"
    store.close()


def test_one_process_claims_a_delivery(store: Store) -> None:
    with store._engine.begin() as connection:
        add_deliveries(connection, [Delivery("a", "e", f"https://x/{n}", "{}") for n in range(3)], 10)
    urls = [f"https://x/{n}" for n in range(2)]
    claims = [store.deliveries.claim(20, urls=urls, lease=100) for _ in range(3)]
    assert sorted(claim.url for claim in claims if claim is not None) == urls
    assert claims[2] is None
    again = store.deliveries.claim(121, urls=urls, lease=100)  # whoever had it is gone
    assert again is not None
    assert again.attempts == 2


def test_of_many_processes_one_claims_each_delivery(store: Store) -> None:
    with store._engine.begin() as connection:
        add_deliveries(connection, [Delivery("a", "e", f"https://x/{n}", "{}") for n in range(5)], 10)
    urls = [f"https://x/{n}" for n in range(5)]
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda _: store.deliveries.claim(20, urls=urls, lease=100), range(24)))
    claimed = [claim.url for claim in claims if claim is not None]
    assert len(set(claimed)) == len(claimed)
    assert set(claimed) <= set(urls)


URLS = [
    "http://example.com/",
    "https://user:password@example.com/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "https://db.internal/",
    "ftp://example.com/",
    "no url",
]


@pytest.mark.parametrize("url", URLS)
def test_urls_that_are_no_webhooks(artifact: Path, tmp_path: Path, url: str) -> None:
    settings = Settings(artifact, state=tmp_path, webhooks=(url,), webhook_secret=SECRET)
    assert [problem.code for problem in check_settings(settings)] == ["webhook_invalid"]


def test_webhooks_need_a_secret_and_a_store(artifact: Path, tmp_path: Path) -> None:
    one = ("https://example.com/",)

    def codes(**changes: Any) -> list[str]:
        return [problem.code for problem in check_settings(Settings(artifact, **changes))]

    assert codes(webhooks=one, webhook_secret=SECRET) == ["store_required"]
    assert codes(webhooks=one, state=tmp_path) == ["webhook_secret_required"]
    assert codes(webhooks=one, state=tmp_path, webhook_secret="short") == ["webhook_secret_weak"]
    assert codes(webhooks=one, state=tmp_path, webhook_secret=SECRET) == []
    outside = {"webhooks": one, "state": tmp_path, "webhook_secret": SECRET, "webhook_loopback": True}
    assert codes(**outside) == ["webhook_invalid"]


@pytest.fixture
def https() -> Iterator[Server]:
    server = Server()
    server.says("/hold", "")
    server.says("/moved", "", 302, location="http://127.0.0.1/")
    yield server
    server.close()


def post(url: str, wire: Wire) -> str | None:
    return asyncio.run(send(url, {"x-test": "1"}, b"{}", loopback=False, wire=wire))


def test_the_address_that_was_checked_is_the_one_connected_to(https: Server) -> None:
    public = PublicWire(https)
    assert post(f"https://{HOST}/hold", public.wire) is None
    assert public.connected == [PUBLIC]
    assert len(public.looked_up) == 1
    (path, headers, body) = https.requests[0]
    assert (path, headers["host"], body) == ("/hold", HOST, b"{}")


@pytest.mark.parametrize("inside", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"])
def test_a_name_that_leads_inside_is_not_connected_to(https: Server, inside: str) -> None:
    public = PublicWire(https, (PUBLIC, inside))
    error = post(f"https://{HOST}/hold", public.wire)
    assert error is not None
    assert inside in error
    assert public.connected == []


def test_what_is_not_delivered_says_why(https: Server) -> None:
    assert post(f"https://{HOST}/moved", PublicWire(https).wire) == "the status is 302"
    assert len(https.requests) == 1  # redirects are not followed
    closed = post(f"https://{HOST}/hold", PublicWire(https, (CLOSED,)).wire)
    assert closed is not None
    assert closed.startswith("no connection")


def test_the_callback_is_a_url_where_the_server_knows_its_own(store: Store) -> None:
    approval = store.approvals.open(HOLD, 0, cap=1)
    (delivery,) = Announcer(["https://a.example/"], "https://policy.example.com")(approval)
    said = json.loads(delivery.body)["data"]["callback"]
    assert said == f"https://policy.example.com/v1/approvals/{approval.id}/callback"
