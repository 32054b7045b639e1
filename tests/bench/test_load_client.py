"""The load client as the process it is, against sockets that answer as told."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from policyc.bench.load import Load, Request
from policyc.bench.processes import BenchError, loading

DECIDED = b'{"verdict":"deny","revision":"r1"}'
#: An answer in chunks, whose length is known at its end.
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"4\r\ndeny\r\n", b"0\r\n\r\n"


def answer(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


@contextmanager
def answering(*pieces: bytes) -> Iterator[int]:
    """A port where each request is answered with ``pieces``; without any, connections are closed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, pieces), daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, pieces: tuple[bytes, ...]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(connection, pieces), daemon=True).start()


def _answer(connection: socket.socket, pieces: tuple[bytes, ...]) -> None:
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while pieces and connection.recv(65536):
            for piece in pieces:
                try:
                    connection.sendall(piece)
                except OSError:
                    return


def load(port: int, seconds: float = 0.2, watches: bool = False) -> Load:
    return Load(port, (Request("/", "{}", 200, "deny"),), 2, seconds, watches)


def test_a_load_crosses_as_a_line():
    sent = load(80, watches=True)
    assert Load.read(sent.line()) == sent


@pytest.mark.parametrize(
    "pieces",
    [(answer(DECIDED),), (answer(DECIDED)[:9], answer(DECIDED)[9:-5], answer(DECIDED)[-5:]), CHUNKED],
)
def test_right_answers_are_samples(pieces):
    with answering(*pieces) as port, loading(load(port)) as client:
        report = client.report()
    assert len(report.samples) > 10
    assert report.failed == 0
    assert all(taken > 0 for _, taken in report.samples)


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ((answer(DECIDED, b"500 Oh"),), "status 500 for 200"),
        ((answer(b'{"verdict":"allow"}'),), "no deny in the answer"),
        ((), "connection lost"),
    ],
)
def test_wrong_answers_are_failures_with_their_reason(pieces, reason):
    with answering(*pieces) as port, loading(load(port)) as client:
        failures = client.report().failures
    assert list(failures) == [reason]


def test_what_is_decided_by_which_revision_is_told_once():
    with answering(answer(DECIDED)) as port, loading(load(port, seconds=30, watches=True)) as client:
        seen = client.next_seen(10)
        with pytest.raises(BenchError):
            client.next_seen(0.1)
        client.stop()
        report = client.report()
    assert (seen.verdict, seen.revision) == ("deny", "r1")
    assert report.seen == [seen]
    assert seen.at == report.samples[0][0]


def test_a_client_without_a_server_is_an_error(capfd):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with loading(load(port)) as client, pytest.raises(BenchError):
        client.report()
    assert "Connection" in capfd.readouterr().err
