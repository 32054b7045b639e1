"""`policyc serve`: one process, or a group of workers, until it is told to stop."""

from __future__ import annotations

import contextlib
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
from policyc_server.fleet.seat import Seat
from policyc_server.fleet.supervisor import CANNOT_SERVE, OK, Supervisor
from policyc_server.listening import listen
from policyc_server.logs import log_to_stderr
from policyc_server.settings import Settings, SettingsError, check_settings
from policyc_server.store.database import StoreError

_BACKLOG = 2048
#: For TLS 1.2, the oldest spoken; TLS 1.3 has its own list.
_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
#: Longer than clients keep idle connections: one that the server closes first is a failed request, which
#: a hook's caller takes for a yes.
_KEEP_ALIVE = 120
#: Loading a policy is long work for one thread; the loop gets its turn after this instead of 5 ms.
_SWITCH_INTERVAL = 0.0005


#: Makes the app of some settings; that of a worker with its `seat`.
Make = Callable[..., App]


def run(settings: Settings, make: Make = create_app) -> int:
    """Serves what `make` makes of `settings` until SIGTERM or SIGINT, then drains.

    Returns the exit code; says on stderr why it is not 0.
    """
    log_to_stderr()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    return _told(lambda: (_alone if settings.workers == 1 else _group)(settings, make))


def _alone(settings: Settings, make: Make) -> int:
    with contextlib.closing(make(settings)) as app:
        if reason := _nothing_to_serve(app):
            return _cannot_serve(reason)
        with _address(settings), listen(settings.host, settings.port) as listener:
            return _serve(app, listener, lambda: _say_ready(settings, _head(app), listener))


def _group(settings: Settings, make: Make) -> int:
    if problems := check_settings(settings):
        raise SettingsError(problems)

    def work(seat: Seat, listener: socket.socket, ready: Callable[[str], None]) -> int:
        return _told(lambda: _one_of_group(make(settings, seat=seat), listener, ready))

    def announce(head: str, listener: socket.socket) -> None:
        _say_ready(settings, head, listener, f" by {settings.workers} workers")

    with _address(settings):
        return Supervisor(settings, work, announce).run()


def _one_of_group(app: App, listener: socket.socket, ready: Callable[[str], None]) -> int:
    with contextlib.closing(app):
        if reason := _nothing_to_serve(app):
            return _cannot_serve(reason)
        return _serve(app, listener, lambda: ready(_head(app)), signals=(signal.SIGTERM,))


class _NoAddress(Exception):
    """The address cannot be listened on."""


@contextlib.contextmanager
def _address(settings: Settings) -> Generator[None, None, None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise _NoAddress(f"error[address]: {settings.host}:{settings.port}: {reason}") from None


def _told(serve: Callable[[], int]) -> int:
    try:
        return serve()
    except SettingsError as error:
        return _cannot_serve(*map(str, error.problems))
    except _NoAddress as error:
        return _cannot_serve(str(error))
    except (BundleError, StoreError) as error:
        return _cannot_serve(f"error[{error.code}]: {error}")


def _nothing_to_serve(app: App) -> str | None:
    """Why a start is no use; None where there is a policy, or its source is only out of reach."""
    if app.serving.snapshot is not None or app.source.is_awaited:
        return None
    failure = app.serving.failure
    return "nothing to serve" if failure is None else f"error[{failure.code}]: {failure.message}"


def _serve(
    app: App,
    listener: socket.socket,
    ready: Callable[[], None],
    signals: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGINT),
) -> int:
    try:
        config = _uvicorn_config(app, app.settings)
    except (OSError, ssl.SSLError) as error:
        return _cannot_serve(f"error[tls]: cannot use the certificate and key: {error}")
    _Server(config, ready, app.drain, signals).run([listener])
    return OK


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


def _head(app: App) -> str:
    """What is served, as the first words of the ready line."""
    snapshot, failure = app.serving.snapshot, app.serving.failure
    if snapshot is not None:
        return f"serving {snapshot.bundle} revision {snapshot.revision}"
    assert failure is not None
    return f"denying everything until {app.settings.bundle} can be read ({failure.message})"


def _say_ready(settings: Settings, head: str, listener: socket.socket, tail: str = "") -> None:
    scheme = "http" if settings.tls_cert is None else "https"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    line = f"{head} on {scheme}://{host}:{listener.getsockname()[1]}{tail}"
    print(line, file=sys.stderr, flush=True)


class _Server(uvicorn.Server):
    """uvicorn, with our signals, a call when it is ready, and bounds on idle connections."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], None],
        drain: Callable[[], None],
        signals: tuple[signal.Signals, ...],
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._drain = drain
        self._signals = signals
        self._sweep = ConnectionSweep()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def on_tick(self, counter: int) -> bool:
        self._sweep.sweep(self.server_state.connections, time.monotonic())
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._drain()
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        # uvicorn raises the signal again after it drained, and the exit code would be the signal's.
        original = {number: signal.signal(number, self.handle_exit) for number in self._signals}
        try:
            yield
        finally:
            for number, handler in original.items():
                signal.signal(number, handler)


def _cannot_serve(*reasons: str) -> int:
    for reason in reasons:
        print(f"policyc serve: {reason}", file=sys.stderr, flush=True)
    return CANNOT_SERVE
