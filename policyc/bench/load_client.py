"""The load client, a process of its own: connections that send one prepared request after another.

It reads its ``Load`` as one JSON line from stdin, and ends when its time is over or stdin is closed. On
stdout it writes a line for each new pair of verdict and revision, and its report as the last line.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Any

import uvloop

from policyc.bench.connection import Connection
from policyc.bench.load import Load
from policyc.bench.load_run import LoadRun, tell

#: For the answers that are still due when the time is over.
_LAST_ANSWERS = 5.0


async def _send_all(load: Load) -> dict[str, Any]:
    run = LoadRun(load)
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Connection(run), "127.0.0.1", load.port)
        for _ in range(load.connections)
    ]
    closed = [connection.closed for _, connection in made]
    over: asyncio.Future[None] = loop.create_future()

    def end(*_: object) -> None:
        if not over.done():
            over.set_result(None)

    loop.add_reader(sys.stdin, end)
    loop.call_later(load.seconds, end)
    all_closed = asyncio.gather(*closed)
    all_closed.add_done_callback(end)
    await over
    loop.remove_reader(sys.stdin)
    run.is_over = True
    _, unanswered = await asyncio.wait(closed, timeout=_LAST_ANSWERS)
    run.failures.update({"no answer": len(unanswered)} if unanswered else {})
    return run.report()


def main() -> None:
    """Runs the load that stdin gives."""
    # Ctrl-C reaches the whole group of processes; the one that started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell(uvloop.run(_send_all(Load.read(sys.stdin.readline()))))


if __name__ == "__main__":
    main()
