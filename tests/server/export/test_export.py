"""Events reach real receivers, each at least once, across faults, restarts and several processes."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import trustme
from policyc_server.export import exporter as module
from policyc_server.export.exporter import Exporter
from policyc_server.export.target import open_target, target_problem
from policyc_server.settings import Settings, check_settings
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store

from server.export.receivers import StreamReceiver, attributes, collector
from server.process import ServerProcess, eventually
from server.store.test_events import START, event

pytestmark = pytest.mark.slow


_LINE = re.compile(
    rb"<(\d+)>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) \S+ policyc \d+ decision - (\{.*\})", re.DOTALL
)
HOSTILE = 'line\r\n<13>1 - - - - - forged \x1b[31m \u202e\u2028 é "quoted"'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(sqlite_url(tmp_path))
    yield opened
    opened.close()


@contextmanager
def exporting(store: Store, url: str) -> Iterator[Exporter]:
    exporter = Exporter(open_target(url), store.events, store.cursors)
    try:
        yield exporter
    finally:
        exporter.close(20)


class TestOtlp:
    def test_records_are_what_the_protocol_says(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20x,tenant=a")
        store.events.add([event(0, verdict="deny", reason=HOSTILE, would_be=None), event(1)])
        with collector() as received, exporting(store, received.url):
            eventually(lambda: len(received.records()) == 2)
        denied, allowed = received.records()
        assert (denied["severityText"], denied["severityNumber"]) == ("WARN", 13)
        assert (allowed["severityText"], allowed["severityNumber"]) == ("INFO", 9)
        assert denied["timeUnixNano"] == str(START * 1000)
        assert denied["body"] == {"stringValue": HOSTILE}
        found = attributes(denied)
        assert (found["policyc.verdict"], found["policyc.tool"]) == ("deny", "crm.read")
        assert (found["policyc.version"], found["policyc.seq"]) == ("1", "1")
        assert json.loads(found["policyc.args"]) == {"id": 1}
        assert "policyc.would_be" not in found
        (resource,) = received.requests[0]["resourceLogs"]
        assert attributes(resource["resource"])["service.name"] == "policyc"
        assert (received.headers[0]["authorization"], received.headers[0]["tenant"]) == ("Bearer x", "a")

    def test_what_fails_is_sent_again_and_what_is_rejected_is_not(self, store: Store) -> None:
        store.events.add([event(number) for number in range(3)])
        with collector() as received:
            received.status = 503
            with exporting(store, received.url) as exporter:
                eventually(lambda: exporter.status()["error"])
                assert exporter.status()["waiting"] == 3
                received.status = 200
                received.answer = b'{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"odd"}}'
                eventually(lambda: exporter.status()["sent"] == 3)
                eventually(lambda: exporter.status()["error"] is None)
                assert exporter.status()["waiting"] == 0
            assert received.ids() == ["id-0", "id-1", "id-2"]


class TestSyslog:
    @contextmanager
    def stream(self, context: ssl.SSLContext | None = None) -> Iterator[StreamReceiver]:
        receiver = StreamReceiver(context)
        yield receiver
        receiver.close()

    def check(self, messages: list[bytes]) -> None:
        denied, allowed = messages
        matched = _LINE.fullmatch(denied)
        assert matched is not None
        assert matched[1] == b"108"  # facility 13, severity 4
        assert matched[2] == b"2023-11-14T22:13:20.000000Z"
        document = json.loads(matched[3])
        assert (document["verdict"], document["reason"]) == ("deny", HOSTILE)
        assert re.fullmatch(rb"[ -~]*", denied)  # one line, whatever it holds
        assert allowed.startswith(b"<110>1 ")

    def add(self, store: Store) -> None:
        store.events.add([event(0, verdict="deny", reason=HOSTILE), event(1)])

    def test_by_udp(self, store: Store) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(20)
            self.add(store)
            with exporting(store, f"syslog+udp://127.0.0.1:{receiver.getsockname()[1]}"):
                self.check([receiver.recv(65536), receiver.recv(65536)])

    def test_by_the_socket_of_this_machine(self, store: Store, tmp_path: Path) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
            receiver.bind(str(tmp_path / "log"))
            receiver.settimeout(20)
            self.add(store)
            with exporting(store, f"syslog+unix://{tmp_path / 'log'}"):
                self.check([receiver.recv(65536), receiver.recv(65536)])

    def test_by_tcp_also_after_the_receiver_restarted(self, store: Store) -> None:
        self.add(store)
        with self.stream() as receiver, exporting(store, f"syslog+tcp://127.0.0.1:{receiver.port}"):
            eventually(lambda: len(receiver.messages) == 2)
            self.check(receiver.messages[:2])
            receiver.drop()
            store.events.add([event(2)])
            eventually(lambda: len(receiver.messages) == 3)

    def test_by_tls_with_a_certificate_that_is_checked(
        self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        authority = trustme.CA()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("localhost").configure_cert(context)
        self.add(store)
        with self.stream(context) as receiver:
            url = f"syslog+tls://localhost:{receiver.port}"
            with exporting(store, url) as exporter:
                eventually(lambda: "certificate" in (exporter.status()["error"] or ""), 20)
            assert receiver.messages == []
            authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
            monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
            with exporting(store, url):
                eventually(lambda: len(receiver.messages) == 2, 20)
            self.check(receiver.messages)


def test_nothing_is_lost_while_the_target_is_away_and_over_restarts(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BATCH", 4)
    with collector() as received:
        store.events.add([event(number) for number in range(10)])
        with exporting(store, received.url):
            eventually(lambda: len(received.ids()) == 10)
        store.events.add([event(number) for number in range(10, 15)])
        with exporting(store, received.url):
            eventually(lambda: len(received.ids()) == 15)
        assert received.ids() == [f"id-{number}" for number in range(15)]
        port, first = received.port, received.ids()
    with exporting(store, f"http://127.0.0.1:{port}/v1/logs") as exporter:
        store.events.add([event(number) for number in range(15, 40)])
        eventually(lambda: exporter.status()["error"])
        with collector(port) as received:
            eventually(lambda: len(received.ids()) == 25, 40)
            assert [*first, *received.ids()] == [f"id-{number}" for number in range(40)]


def test_one_process_exports_and_another_goes_on(store: Store, tmp_path: Path) -> None:
    other = Store(sqlite_url(tmp_path))
    with collector() as received:
        with exporting(other, received.url) as second:
            with exporting(store, received.url) as first:
                store.events.add([event(number) for number in range(5)])
                eventually(lambda: len(received.ids()) == 5)
                assert first.status()["is_exporting"] != second.status()["is_exporting"]
            second_or_first = second.status()["is_exporting"]
            store.events.add([event(number) for number in range(5, 9)])
            eventually(lambda: len(received.ids()) == 9, 20)
            assert second.status()["is_exporting"] or second_or_first
        assert max(Counter(received.ids()).values()) == 1
    other.close()


def test_a_server_exports_what_it_decided_also_when_it_was_killed(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path
) -> None:
    call = {"tool": "payment.transfer", "args": {"amount_cents": 1}}
    with collector() as received:
        options = ("--state", tmp_path, "--durable-events", "--export", received.url)
        received.status = 503
        server = serve(artifact, *options).ready()
        answer = httpx.post(f"{server.url}/v1/evaluate", json=[call] * 20, timeout=30).json()
        decided = [decision["decision_id"] for decision in answer]
        eventually(lambda: server.status()["exports"][0]["error"])
        assert "policyc_export_failing" in server.client.get("/metrics").text
        server.process.kill()
        server.wait()
        received.status = 200
        serve(artifact, *options, "--workers", "2").ready()
        # The killed server's hold on the export has to run out first.
        eventually(lambda: len(received.ids()) >= 20, 60)
        assert set(received.ids()) == set(decided)


@pytest.mark.parametrize(
    "url",
    [
        "https://collector/v1/logs",
        "syslog+tcp://log:601",
        "syslog+tls://[::1]:6514",
        "syslog+unix:///dev/log",
    ],
)
def test_targets(url: str) -> None:
    assert target_problem(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "kafka://a",
        "syslog+udp://log",
        "syslog+unix://",
        "https://user:pass@collector/v1/logs",
        "x",
        "http://",
    ],
)
def test_targets_that_are_refused_without_their_password(url: str, artifact: Path, tmp_path: Path) -> None:
    problems = check_settings(Settings(artifact, state=tmp_path, exports=(url,)))
    assert [problem.code for problem in problems] == ["export_invalid"]
    assert "pass@" not in problems[0].message


def test_exports_need_a_store(artifact: Path) -> None:
    found = check_settings(Settings(artifact, exports=("https://collector/v1/logs",)))
    assert [problem.code for problem in found] == ["store_required"]
