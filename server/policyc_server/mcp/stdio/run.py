"""One wrapped server, from the settings to the exit code."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from policyc.bundle.errors import BundleError
from policyc_server.app import open_keyring
from policyc_server.approvals.approvals import Approvals
from policyc_server.decide import Decider
from policyc_server.events.kept import Kept
from policyc_server.history import ServedVersions
from policyc_server.logs import log_to_stderr
from policyc_server.mcp.caller import Caller
from policyc_server.mcp.firewall import Firewall
from policyc_server.mcp.stdio.child import Child
from policyc_server.mcp.stdio.client import Client
from policyc_server.mcp.stdio.relay import Relay
from policyc_server.metrics import RequestMetrics
from policyc_server.settings import Settings, SettingsError, check_settings
from policyc_server.settings_file.mcp_server import name_problem
from policyc_server.snapshot import Serving
from policyc_server.source import Source, open_source
from policyc_server.store.database import StoreError

CANNOT_RUN = 2
_STOP_WITHIN = 2.0
#: Threads load policies and write events; the loop gets its turn after this instead of 5 ms.
_SWITCH_INTERVAL = 0.0005
#: Of the state folder: the servers on it share one record of versions, and leave that of `serve` alone.
_FOLDER = "mcp"
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(frozen=True)
class Wrapped:
    """A server and who uses it. ``run`` is what its calls are a part of; None: of a run of their own."""

    name: str
    command: Sequence[str]
    agent: str | None = None
    run: str | None = None


def wrap(settings: Settings, wrapped: Wrapped) -> int:
    """Runs the server behind the policy until it or its client end. Returns the exit code; says on stderr why
    nothing was started. Standard output has protocol alone."""
    log_to_stderr()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    if problem := name_problem(wrapped.name):
        return _cannot_run(f"error[name_refused]: {problem}")
    try:
        with _opened(settings) as opened:
            if reason := opened.nothing_to_serve():
                return _cannot_run(reason)
            return asyncio.run(_session(settings, wrapped, opened))
    except SettingsError as error:
        return _cannot_run(*map(str, error.problems))
    except (BundleError, StoreError) as error:
        return _cannot_run(f"error[{error.code}]: {error}")


@dataclass(frozen=True)
class _Opened:
    serving: Serving
    source: Source
    kept: Kept | None
    approvals: Approvals | None

    def nothing_to_serve(self) -> str | None:
        if self.serving.snapshot is not None or self.source.is_awaited:
            return None
        failure = self.serving.failure
        return "nothing to serve" if failure is None else f"error[{failure.code}]: {failure.message}"

    def firewall(self, deadline: float) -> Firewall:
        kept = self.kept
        if kept is None or self.approvals is None:
            _say("without --state or --database: changed tools go unnoticed, holds and budgets answer closed")
            decider = Decider(self.serving, RequestMetrics(), None)
            return Firewall.of(decider, None, self.serving, None, deadline)
        decider = Decider(
            self.serving,
            RequestMetrics(),
            None,
            recorder=kept.recorder,
            lockdown=kept.lockdown,
            budgets=kept.budgets,
        )
        return Firewall.of(decider, self.approvals.holds, self.serving, kept.store.mcp_tools, deadline)


@contextmanager
def _opened(settings: Settings) -> Iterator[_Opened]:
    """The policy, kept up to date, and the store. Raises SettingsError, BundleError and StoreError."""
    if problems := check_settings(settings):
        raise SettingsError(problems)
    folder = None if settings.state is None else settings.state / _FOLDER
    if folder is not None:
        _make(folder)
    history = ServedVersions(folder, is_group=folder is not None)
    serving = Serving(settings.max_stale)
    source = open_source(replace(settings, state=folder), serving, history)
    kept = None if settings.store_url is None else Kept(settings.store_url, settings)
    keyring = open_keyring(settings, None if kept is None else kept.store.keys)
    approvals = None if kept is None else Approvals(kept, keyring, serving, settings)
    try:
        source.load_first()
        source.start()
        yield _Opened(serving, source, kept, approvals)
    finally:
        source.stop(_STOP_WITHIN)
        keyring.close()
        if approvals is not None:
            approvals.close(_STOP_WITHIN)
        if kept is not None:
            kept.close(_STOP_WITHIN)
        history.close()


def _make(folder: os.PathLike[str]) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise BundleError("state_unwritable", f"cannot make {folder}: {error.strerror}") from None


async def _session(settings: Settings, wrapped: Wrapped, opened: _Opened) -> int:
    sink = _claim_output()
    try:
        child = await Child.start(wrapped.command)
    except (OSError, ValueError) as error:
        return _cannot_run(f"error[server_failed]: cannot start {wrapped.command[0]}: {error}")
    caller = Caller(wrapped.agent, session=wrapped.run or str(uuid.uuid4()))
    client = Client(sys.stdin.fileno(), sink)
    relay = Relay(wrapped.name, client, child, opened.firewall(settings.deadline), caller)
    stopping = _Stopping()
    code = await relay.run(stopping.told)
    return 128 + stopping.number if stopping.number else code or 0


class _Stopping:
    """Signals of this process. ``told`` is set by the first, whose number is then not 0."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.number = 0
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self._tell, number)

    def _tell(self, number: int) -> None:
        self.number = self.number or number
        self.told.set()


def _claim_output() -> int:
    """A descriptor of standard output; whatever else is printed from now on goes to standard error."""
    own = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own


def _cannot_run(*reasons: str) -> int:
    for reason in reasons:
        _say(reason)
    return CANNOT_RUN


def _say(text: str) -> None:
    print(f"policyc mcp: {text}", file=sys.stderr, flush=True)
