"""`policyc serve`: one process, until it is told to stop."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable, Generator
from types import FrameType

import uvicorn

from policyc.bundle.errors import BundleError
from policyc_server.app import App, create_app
from policyc_server.connections import ConnectionSweep
from policyc_server.settings import Settings, SettingsError
from policyc_server.store.database import StoreError

OK = 0
CANNOT_SERVE = 2

_BACKLOG = 2048
#: For TLS 1.2, the oldest spoken; TLS 1.3 has its own list.
_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
#: Longer than clients keep idle connections: one that the server closes first is a failed request, which
#: a hook's caller takes for a yes.
_KEEP_ALIVE = 120
#: Loading a policy is long work for one thread; the loop gets its turn after this instead of 5 ms.
_SWITCH_INTERVAL = 0.0005


def run(settings: Settings, make: Callable[[Settings], App] = create_app) -> int:
    """Serves what `make` makes of `settings` until SIGTERM or SIGINT, then drains.

    Returns the exit code; says on stderr why it is not 0.
    """
    _log_to_stderr()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        app = make(settings)
    except SettingsError as error:
        return _cannot_serve(*map(str, error.problems))
    except (BundleError, StoreError) as error:
        return _cannot_serve(f"error[{error.code}]: {error}")
    try:
        return _serve(app)
    finally:
        app.close()


def _serve(app: App) -> int:
    settings, serving = app.settings, app.serving
    if serving.snapshot is None:
        failure = serving.failure
        reason = "nothing to serve" if failure is None else f"error[{failure.code}]: {failure.message}"
        return _cannot_serve(reason)
    try:
        listener = _listen(settings)
    except OSError as error:
        return _cannot_serve(f"error[address]: {settings.host}:{settings.port}: {error.strerror or error}")
    with listener:
        try:
            config = _uvicorn_config(app, settings)
        except (OSError, ssl.SSLError) as error:
            return _cannot_serve(f"error[tls]: cannot use the certificate and key: {error}")
        _Server(config, _ready_line(app, listener), app.drain).run([listener])
    return OK


def _listen(settings: Settings) -> socket.socket:
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def _uvicorn_config(app: App, settings: Settings) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http="httptools",
        loop="uvloop",
        ws="none",
        interface="asgi3",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(settings.drain)),
        ssl_certfile=None if settings.tls_cert is None else str(settings.tls_cert),
        ssl_ciphers=_CIPHERS,
        ssl_keyfile=None if settings.tls_key is None else str(settings.tls_key),
    )
    config.load()
    return config


def _ready_line(app: App, listener: socket.socket) -> str:
    settings, snapshot = app.settings, app.serving.snapshot
    assert snapshot is not None
    scheme = "http" if settings.tls_cert is None else "https"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"{scheme}://{host}:{listener.getsockname()[1]}"
    return f"serving {snapshot.bundle} revision {snapshot.revision} on {address}"


class _Server(uvicorn.Server):
    """uvicorn, with our signals, the line that says it is ready, and bounds on idle connections."""

    def __init__(self, config: uvicorn.Config, ready_line: str, drain: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready_line = ready_line
        self._drain = drain
        self._sweep = ConnectionSweep()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(self._ready_line, file=sys.stderr, flush=True)

    async def on_tick(self, counter: int) -> bool:
        self._sweep.sweep(self.server_state.connections, time.monotonic())
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._drain()
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        # uvicorn raises the signal again after it drained, and the exit code would be the signal's.
        handled = (signal.SIGTERM, signal.SIGINT)
        original = {number: signal.signal(number, self.handle_exit) for number in handled}
        try:
            yield
        finally:
            for number, handler in original.items():
                signal.signal(number, handler)


def _log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    ours = logging.getLogger("policyc_server")
    ours.setLevel(logging.INFO)
    ours.handlers = [handler]
    ours.propagate = False
    server = logging.getLogger("uvicorn.error")
    server.setLevel(logging.WARNING)
    server.handlers = [handler]
    server.propagate = False
    # It reports the end of each watch as an error.
    logging.getLogger("watchdog").setLevel(logging.CRITICAL)


def _cannot_serve(*reasons: str) -> int:
    for reason in reasons:
        print(f"policyc serve: {reason}", file=sys.stderr, flush=True)
    return CANNOT_SERVE
