"""A stand-in of the Interactions API: ``POST /v1beta/interactions``, as one answer or as a stream.

The model is a script (agent.py); sandboxes are temporary folders (sandbox.py) whose hooks run under
policyc's reference runtime. Sources are inline, and everything is gone when it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agent import SCRIPT, steps
from sandbox import Environment, Refused

PATH = "/v1beta/interactions"


class Api:
    """The state: environments and interactions by their ids. ``serving`` keeps turns one after another."""

    def __init__(self, root: Path, outside: str | None) -> None:
        self.root, self.outside = root, outside
        self.environments: dict[str, Environment] = {}
        self.interactions: dict[str, dict[str, Any]] = {}
        self.serving = threading.Lock()
        self._numbers = itertools.count(1)

    def create(self, request: Mapping[str, Any]) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
        """The interaction that ``request`` starts, and its steps as they happen. Raises Refused."""
        if not isinstance(request.get("agent"), str):
            raise Refused("there is no agent")
        calls = SCRIPT.get(_input(request.get("input")))
        if calls is None:
            raise Refused("the stand-in's script has no such input; it knows:\n" + "\n".join(SCRIPT))
        previous = request.get("previous_interaction_id")
        if previous is not None and previous not in self.interactions:
            raise Refused(f"there is no interaction {previous}")
        environment = self._environment(request.get("environment"))
        interaction = {
            "id": f"v1_{next(self._numbers)}",
            "object": "interaction",
            "agent": request["agent"],
            "environment_id": environment.name,
            "status": "in_progress",
            **({} if previous is None else {"previous_interaction_id": previous}),
        }
        self.interactions[interaction["id"]] = interaction
        return interaction, steps(calls, lambda tool, args: asyncio.run(environment.call(tool, args)))

    def _environment(self, given: Any) -> Environment:
        if isinstance(given, dict) and given.get("type") == "remote":
            name = f"env_{next(self._numbers)}"
            self.environments[name] = Environment(name, self.root / name, given, self.outside)
            return self.environments[name]
        if given not in self.environments:
            raise Refused('environment is neither {"type": "remote", ...} nor the id of one')
        return self.environments[given]


def _input(given: Any) -> str:
    """The text of an input, which may be a list of parts."""
    if isinstance(given, list):
        return "".join(part.get("text", "") for part in given)
    return given if isinstance(given, str) else ""


class Handler(BaseHTTPRequestHandler):
    def __init__(self, api: Api, *args: Any) -> None:
        self.api = api
        super().__init__(*args)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != PATH:
            self._error(404, "NOT_FOUND", f"only {PATH} is here")
        elif not self.headers.get("x-goog-api-key"):
            self._error(401, "UNAUTHENTICATED", "there is no x-goog-api-key")
        else:
            with self.api.serving, suppress(ConnectionError):  # a client that has seen enough
                self._answer(body)

    def _answer(self, body: bytes) -> None:
        try:
            request = json.loads(body)
            interaction, happening = self.api.create(request)
        except (Refused, ValueError, TypeError, KeyError, AttributeError) as error:
            self._error(400, "INVALID_ARGUMENT", str(error))
        else:
            (self._stream if request.get("stream") else self._whole)(interaction, happening)

    def _whole(self, interaction: dict[str, Any], happening: Iterator[dict[str, Any]]) -> None:
        self._json(200, {**interaction, "steps": list(happening), "status": "completed"})

    def _stream(self, interaction: dict[str, Any], happening: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self._event("interaction.created", interaction=interaction)
        for index, step in enumerate(happening):
            content = step.pop("content", [])
            self._event("step.start", index=index, step=step)
            for part in content:
                self._event("step.delta", index=index, delta=part)
            self._event("step.stop", index=index)
        self._event("interaction.completed", interaction={**interaction, "status": "completed"})
        self.wfile.write(b"event: done\ndata: [DONE]\n\n")

    def _event(self, event_type: str, **content: Any) -> None:
        text = json.dumps({**content, "event_type": event_type})
        self.wfile.write(f"event: {event_type}\ndata: {text}\n\n".encode())
        self.wfile.flush()

    def _error(self, code: int, status: str, message: str) -> None:
        self._json(code, {"error": {"code": code, "message": message, "status": status}})

    def _json(self, code: int, document: Any) -> None:
        content = json.dumps(document, indent=2).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: Any) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8470)
    parser.add_argument("--outside", metavar="URL", help="the server on which every host outside is found")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="stand-in-") as root:
        api = Api(Path(root), given.outside)
        server = ThreadingHTTPServer(("127.0.0.1", given.port), partial(Handler, api))
        print(f"http://127.0.0.1:{server.server_port}  sandboxes in {root}", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
