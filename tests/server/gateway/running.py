"""A gateway on a port of its own, before an upstream that is a real server too."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from policyc_server import create_app
from policyc_server.app import App
from policyc_server.settings import Settings
from policyc_server.settings_file.upstream import Upstream
from starlette.types import Receive, Scope, Send

POLICY = """\
policy: agent
default_verdict: allow
rules:
  - {priority: 1, label: no shell, stage: inbound, tool_name_glob: shell.*, verdict: deny,
     reason: No shells here., reason_code: no_shell, risk_factors: [destructive]}
  - priority: 2
    label: payment cap
    tool_name_glob: payment.*
    args_match: {clauses: [{path: $.amount, op: gt, value: 100}]}
    verdict: deny
    reason: Too much money.
    reason_code: payment_cap
  - {priority: 3, label: deploys, stage: response, tool_name_glob: deploy.*, verdict: pending_approval,
     reason: A person looks at deploys.}
  - {priority: 4, label: mail, stage: response, tool_name_glob: mail.*, verdict: sanitize,
     sanitize: {presets: [email]}}
  - {priority: 5, label: no drops, stage: response, tool_name_glob: db.drop, verdict: deny, reason: Never.}
  - {priority: 6, label: cap, tool_name_glob: costly.*, verdict: cap_cost, cap_cost_cents: 5}
"""


def write_policy(folder: Path, policy: str = POLICY) -> Path:
    path = folder / "agent.yaml"
    path.write_text(policy)
    return path


class Serving:
    """One app behind uvicorn in a thread."""

    def __init__(self, app: Any, *, lifespan: str) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        config = uvicorn.Config(
            app,
            lifespan=lifespan,  # type: ignore[arg-type]
            log_config=None,
            log_level="critical",
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        while not self._server.started:
            time.sleep(0.005)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._listener.close()


class Gateway:
    """A gateway with the upstream ``up``, and requests to it."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._serving = Serving(app, lifespan="on")
        self.client = httpx.Client(base_url=self._serving.url, timeout=30)
        self.url = self._serving.url

    def post(self, path: str, document: object = None, **options: Any) -> httpx.Response:
        return self.client.post(f"/gateway/up{path}", json=document, **options)

    def chat(self, *tools: str, **options: Any) -> httpx.Response:
        """A request for a chat completion that offers tools."""
        return self.post("/v1/chat/completions", chat_request(*tools, **options.pop("more", {})), **options)

    def events(self) -> list[dict[str, Any]]:
        """What the store has, oldest first."""
        found = self.client.get("/v1/events").json()["events"]
        return list(reversed(found))

    def close(self) -> None:
        self.client.close()
        self._serving.close()


def chat_request(*tools: str, **more: Any) -> dict[str, Any]:
    offered = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in tools]
    messages = [{"role": "user", "content": "go"}]
    return {"model": "gpt-5", "messages": messages, **({"tools": offered} if offered else {}), **more}


def open_gateway(bundle: Path, url: str, kind: str = "openai", **changes: Any) -> Gateway:
    """``changes`` are settings; those of the upstream are in ``upstream``."""
    upstream = Upstream("up", kind, url, **changes.pop("upstream", {}))
    return Gateway(create_app(Settings(bundle, upstreams=(upstream,), **changes)))


class RawUpstream:
    """Answers each request with the next of ``answers``: status, headers and the pieces of a body. An Event
    among the pieces is waited for, and None breaks the connection off."""

    def __init__(self, *answers: tuple[int, dict[str, str], list[Any]]) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[Scope, bytes]] = []
        self.left = threading.Event()

    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.requests]

    def headers(self, number: int = 0) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.requests[number][0]["headers"]}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        import asyncio

        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
        self.requests.append((scope, body))
        status, headers, pieces = self.answers.pop(0)
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        leaving = asyncio.ensure_future(receive())
        for piece in pieces:
            if piece is None:
                raise ConnectionError
            if isinstance(piece, threading.Event):
                waiting = asyncio.ensure_future(asyncio.to_thread(piece.wait, 20))
                await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
                if leaving.done():
                    self.left.set()
                    piece.set()
                    return
            else:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        leaving.cancel()
        await send({"type": "http.response.body", "body": b""})


JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


@contextlib.contextmanager
def upstream_of(app: RawUpstream) -> Iterator[str]:
    serving = Serving(app, lifespan="off")
    try:
        yield serving.url
    finally:
        serving.close()


def call(name: str, arguments: str = "{}", number: int = 0) -> dict[str, Any]:
    """An entry of ``tool_calls``."""
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def completion(text: str | None = None, *calls: dict[str, Any], **more: Any) -> bytes:
    """A chat completion, written with spaces as nobody else does: a copy is told from the original."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = list(calls)
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return json.dumps({"id": "c", "choices": [choice], "usage": usage, **more}, indent=3).encode()


def answer(body: bytes, **headers: str) -> tuple[int, dict[str, str], list[Any]]:
    return 200, {**JSON, **headers}, [body]


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "c", "choices": [choice], **more}).encode() + b"\n\n"


def call_chunk(index: int, arguments: str = "", **first: Any) -> bytes:
    """A part of a call; ``first`` are its id and name, with the first part."""
    function = {"arguments": arguments, **({"name": first["name"]} if first else {})}
    entry = {"index": index, "function": function}
    if first:
        entry |= {"id": first["id"], "type": "function"}
    return chunk({"tool_calls": [entry]})


DONE = b"data: [DONE]\n\n"


def stream(*pieces: Any) -> tuple[int, dict[str, str], list[Any]]:
    return 200, EVENTS, list(pieces)
