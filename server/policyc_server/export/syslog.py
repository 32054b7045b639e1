"""Syslog messages as RFC 5424 has them: by UDP (RFC 5426), TCP (RFC 6587, octet counting), TLS (RFC 5425), or
the datagram socket of this machine. The message is the event as JSON.

None of these says that a message was taken. A batch counts as taken once the kernel has it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import ssl
from typing import Any

from policyc_server.export.severity import severity_of
from policyc_server.export.target import ExportFailed

_WITHIN = 10.0
_AUDIT = 13  # facility "log audit"
_NOT_PRINTED = re.compile(r"[^!-~]")


class SyslogTarget:
    """``kind`` is udp, tcp, tls or unix; the last has a ``path`` instead of a host and port."""

    def __init__(self, kind: str, host: str | None, port: int | None, path: str) -> None:
        self.name = f"syslog+{kind}://{path if kind == 'unix' else f'{host}:{port}'}"
        self._kind = kind
        self._host = host or ""
        self._port = port or 0
        self._path = path
        self._socket: socket.socket | None = None
        self._own = f"{_header(socket.gethostname(), 255)} policyc {os.getpid()} decision -"

    def send(self, events: list[dict[str, Any]]) -> None:
        try:
            if self._socket is None or _is_closed(self._socket, self._is_stream):
                self.close()
                self._socket = self._connect()
            for event in events:
                self._put(self._socket, self._message(event))
        except OSError as error:
            self.close()
            raise ExportFailed(f"{self.name}: {error.strerror or error}") from None

    def close(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()
            self._socket = None

    @property
    def _is_stream(self) -> bool:
        return self._kind in ("tcp", "tls")

    def _connect(self) -> socket.socket:
        if self._kind == "unix":
            return _connected(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), self._path)
        if self._kind == "udp":
            family, kind, _, _, address = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_DGRAM)[
                0
            ]
            return _connected(socket.socket(family, kind), address)
        plain = socket.create_connection((self._host, self._port), _WITHIN)
        if self._kind == "tcp":
            return plain
        try:
            return ssl.create_default_context().wrap_socket(plain, server_hostname=self._host)
        except OSError:
            plain.close()
            raise

    def _put(self, connection: socket.socket, message: bytes) -> None:
        connection.sendall(b"%d %s" % (len(message), message) if self._is_stream else message)

    def _message(self, event: dict[str, Any]) -> bytes:
        priority = _AUDIT * 8 + severity_of(event).syslog
        at = event["at"].replace("+00:00", "Z")
        # ASCII, with all that is no plain text escaped: an argument cannot begin a line of its own.
        body = json.dumps(event, separators=(",", ":")).encode("ascii")
        return f"<{priority}>1 {at} {self._own} ".encode("ascii") + body


def _connected(connection: socket.socket, address: Any) -> socket.socket:
    connection.settimeout(_WITHIN)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _is_closed(connection: socket.socket, is_stream: bool) -> bool:
    """Whether the other end has gone, which a write would notice only the time after."""
    if not is_stream:
        return False
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(_WITHIN)


def _header(text: str, longest: int) -> str:
    return _NOT_PRINTED.sub("?", text)[:longest] or "-"
