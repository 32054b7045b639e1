"""The yardstick of `policyc bench`: this server with its reload, and nothing done for a request.

python -m policyc_server.noop --bundle PATH --port PORT
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from starlette.types import Receive, Scope, Send

from policyc_server.answers import send_json
from policyc_server.app import App
from policyc_server.auth.keyring import Keyring
from policyc_server.history import ServedVersions
from policyc_server.run import run
from policyc_server.settings import Settings

_NOTHING = b"{}"


class NoOp(App):
    """An evaluator that answers every request at once, without reading it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await send_json(send, 200, _NOTHING)
        else:
            await super().__call__(scope, receive, send)


def make_no_op(settings: Settings) -> NoOp:
    """The no-op app, set up as `create_app` sets up the evaluator without a decision log."""
    return NoOp(settings, None, ServedVersions(settings.state), Keyring(), None)


def main() -> int:
    """Serves until it is told to stop; the exit code."""
    options = argparse.ArgumentParser(prog="policyc_server.noop")
    options.add_argument("--bundle", type=Path, required=True)
    options.add_argument("--port", type=int, required=True)
    chosen = options.parse_args()
    return run(Settings(bundle=chosen.bundle, port=chosen.port), make_no_op)


if __name__ == "__main__":
    sys.exit(main())
