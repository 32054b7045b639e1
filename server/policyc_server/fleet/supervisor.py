"""`policyc serve --workers N`: a parent that starts the workers, replaces those that die, and stops them.

The parent has no threads and reads no policy. It holds the lock of the state folder, which the workers
inherit: the folder is free once the last of them is gone. It also holds every worker's listening socket, so
connections that wait for a worker that died are answered by its successor.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from policyc_server.fleet.board import Board
from policyc_server.fleet.lifeline import end_with_the_parent
from policyc_server.fleet.seat import Seat
from policyc_server.history import held
from policyc_server.listening import listen, listen_together
from policyc_server.settings import Settings

_log = logging.getLogger(__name__)

OK = 0
CANNOT_SERVE = 2
_FAULT = 1

#: Seconds: a worker that lived this long is replaced at once.
_LONG_LIFE = 10.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
#: Beyond `drain`, for what a worker still writes when it ends.
_STOP_WITHIN = 10.0
_TICK = 1.0

#: Serves on a socket until it is told to stop, and calls back once it is ready with what it serves.
Work = Callable[[Seat, socket.socket, Callable[[str], None]], int]
Announce = Callable[[str, socket.socket], None]


@dataclass
class _Worker:
    number: int
    listener: socket.socket | None
    process: int = 0
    pipe: int | None = None
    """Read end: a line once it is ready, the end of file once it is gone."""
    said: bytes = b""
    started_at: float = 0.0
    deaths: int = 0
    due_at: float | None = field(default=None)
    """When it is started again."""

    @property
    def is_ready(self) -> bool:
        return self.pipe is not None and self.said.endswith(b"\n")


class Supervisor:
    """The parent of `settings.workers` workers, each of which does `work`."""

    def __init__(self, settings: Settings, work: Work, announce: Announce) -> None:
        self._settings = settings
        self._work = work
        self._announce = announce
        self._board = Board(settings.workers)
        self._workers: list[_Worker] = []
        self._record = Path()
        self._lifeline = (-1, -1)
        self._wake = (-1, -1)
        self._is_stopping = False
        self._is_announced = False

    def run(self) -> int:
        """Until a signal ends it, or the first start fails; the exit code.

        Raises BundleError where another server has the state folder, OSError where it cannot listen."""
        settings = self._settings
        with contextlib.ExitStack() as stack:
            self._record = settings.state or Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="policyc-"))
            )
            stack.enter_context(held(self._record))
            listeners = listen_together(settings.host, settings.port, settings.workers)
            self._workers = [_Worker(number, listener) for number, listener in enumerate(listeners)]
            self._port = listeners[0].getsockname()[1]
            self._lifeline = stack.enter_context(_pipe())
            self._wake = stack.enter_context(_pipe())
            os.set_blocking(self._wake[1], False)
            stack.enter_context(self._signals())
            try:
                return self._supervise()
            finally:
                self._stop()

    def _supervise(self) -> int:
        # The first alone: what keeps it from serving is said once, and it brings the store's schema up.
        self._start(self._workers[0])
        while not self._is_stopping:
            self._wait()
            failed = [worker for worker in self._workers if worker.due_at is not None]
            if failed and not self._is_announced:
                return CANNOT_SERVE
            for worker in failed:
                if worker.due_at is not None and time.monotonic() >= worker.due_at:
                    self._start(worker)
            if not self._is_announced and self._workers[0].is_ready:
                self._go_on()
        return OK

    def _go_on(self) -> None:
        """Starts the rest after the first, and says so once all are ready."""
        for worker in self._workers:
            if not worker.process:
                self._start(worker)
        if all(worker.is_ready for worker in self._workers):
            self._is_announced = True
            first = self._workers[0]
            assert first.listener is not None
            self._announce(first.said.decode().rstrip("\n"), first.listener)

    def _start(self, worker: _Worker) -> None:
        if worker.listener is None:
            worker.listener = listen(self._settings.host, self._port, is_shared=True)
        reading, writing = os.pipe()
        worker.started_at, worker.due_at, worker.said = time.monotonic(), None, b""
        worker.process = os.fork()
        if worker.process == 0:
            self._be(worker, writing)
        os.close(writing)
        worker.pipe = reading

    def _be(self, worker: _Worker, writing: int) -> None:
        """The life of a worker, in its own process; never returns."""
        code = _FAULT
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            # A terminal sends it to the whole group; the parent passes it on as SIGTERM.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if self._is_stopping:
                os._exit(OK)
            os.close(self._lifeline[1])
            end_with_the_parent(self._lifeline[0])
            for other in self._workers:
                if other is not worker and other.listener is not None:
                    other.listener.close()

            def ready(head: str) -> None:
                os.write(writing, head.encode() + b"\n")

            assert worker.listener is not None
            code = self._work(Seat(worker.number, self._board, self._record), worker.listener, ready)
        except BaseException:
            traceback.print_exc()
        finally:
            # Not sys.exit: what the parent set up is the parent's to take down.
            os._exit(code)

    def _wait(self) -> None:
        """Until something happens, at most a second; notes who is ready and who is gone."""
        pipes = {worker.pipe: worker for worker in self._workers if worker.pipe is not None}
        due = [worker.due_at - time.monotonic() for worker in self._workers if worker.due_at is not None]
        readable, _, _ = select.select([*pipes, self._wake[0]], [], [], max(0.0, min([_TICK, *due])))
        for descriptor in readable:
            content = os.read(descriptor, 4096)
            if descriptor in pipes:
                pipes[descriptor].said += content
                if not content:
                    self._ended(pipes[descriptor])

    def _ended(self, worker: _Worker) -> None:
        was_ready = worker.is_ready
        assert worker.pipe is not None
        os.close(worker.pipe)
        worker.pipe = None
        status = os.waitstatus_to_exitcode(os.waitpid(worker.process, 0)[1])
        if self._is_stopping:
            return
        if was_ready and time.monotonic() - worker.started_at >= _LONG_LIFE:
            worker.deaths = 0
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (worker.deaths - 1)) if worker.deaths else 0.0
        worker.deaths += 1
        worker.due_at = time.monotonic() + pause
        if not was_ready and worker.listener is not None:
            # It will take a while, and connections are better off with the others.
            worker.listener.close()
            worker.listener = None
        if self._is_announced:
            _log.error("worker %d ended (%d); it is started again in %.1f s", worker.number, status, pause)

    def _stop(self) -> None:
        """Lets the workers drain; ends those that take too long."""
        self._is_stopping = True
        for worker in self._workers:
            worker.due_at = None
        self._close_listeners()
        running = [worker for worker in self._workers if worker.pipe is not None]
        for worker in running:
            os.kill(worker.process, signal.SIGTERM)
        end = time.monotonic() + self._settings.drain + _STOP_WITHIN
        while any(worker.pipe is not None for worker in running) and time.monotonic() < end:
            self._wait()
        for worker in running:
            if worker.pipe is not None:
                _log.error("worker %d did not end in time and is killed", worker.number)
                os.kill(worker.process, signal.SIGKILL)
                self._ended(worker)

    def _close_listeners(self) -> None:
        for worker in self._workers:
            if worker.listener is not None:
                worker.listener.close()
                worker.listener = None

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(_number: int, _frame: object) -> None:
            self._is_stopping = True
            with contextlib.suppress(BlockingIOError):
                os.write(self._wake[1], b"\0")

        original = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in original.items():
                signal.signal(number, handler)


@contextlib.contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)
