"""The sockets that a server listens on."""

from __future__ import annotations

import socket


def listen(host: str, port: int, *, is_shared: bool = False) -> socket.socket:
    """A socket bound to the address; with `is_shared` others that say so may be bound to it too, and the
    kernel spreads connections among them. Raises OSError."""
    host = "127.0.0.1" if host == "localhost" else host
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def listen_together(host: str, port: int, count: int) -> list[socket.socket]:
    """`count` sockets on one address, for as many processes. Raises OSError, also where somebody else has
    the port: sockets that are shared would join theirs without a word."""
    with listen(host, port) as probe:
        port = probe.getsockname()[1]
    return [listen(host, port, is_shared=True) for _ in range(count)]
