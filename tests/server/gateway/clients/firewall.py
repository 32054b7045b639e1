"""The gateway between the vendors' own clients and a stand-in upstream."""

from __future__ import annotations

import json
from collections.abc import MutableSequence, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from official_clients import APIS, Answer, Conversation

from policyc.stand_in.apis import api_of
from policyc.stand_in.app import StandIn
from policyc.stand_in.received import Received
from policyc.stand_in.script import Script, ToolCall, Turn
from server.approvals.material import As
from server.process import ServerProcess, eventually

POLICY = """\
policy: agent
default_verdict: deny
rules:
  - priority: 1
    label: no shell
    tool_name_glob: shell.*
    verdict: deny
    reason: Shells are for people.
    reason_code: no_shell
  - priority: 5
    label: cap payment amount
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount_cents, op: gt, value: 100000}
    verdict: deny
    reason: Payments above 1,000.00 need a person.
    reason_code: payment_cap
    risk_factors: [money, irreversible]
  - priority: 10
    label: hold production
    tool_name_glob: deploy.release
    args_match:
      clauses:
        - {path: $.environment, op: eq, value: production}
    verdict: pending_approval
    reason: A release to production is approved by a person first.
    reason_code: production_release
  - priority: 20
    label: redact addresses
    stage: response
    tool_name_glob: mail.*
    verdict: sanitize
    sanitize: {presets: [email]}
  - priority: 30
    label: the agent's work
    tool_name_glob: [crm.*, payment.*, deploy.*, mail.*]
    verdict: allow
"""

#: The upstream of each API.
UPSTREAMS = {
    "openai chat completions": "openai",
    "openai responses": "openai",
    "anthropic messages": "anthropic",
    "gemini generateContent": "gemini",
}
CREDENTIAL = "upstream-secret"
TOOLS = ("crm.get", "crm.search", "payment.transfer", "deploy.release", "mail.send")

GET = ToolCall("crm.get", '{"id": 7}')
TOO_MUCH = ToolCall("payment.transfer", '{"amount_cents": 250000}')
SHIP = ToolCall("deploy.release", '{"service": "shop", "environment": "production"}')


ASKED = {"role": "user", "content": "Go on."}
#: A request of each API: its path, streamed and not, and its body.
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai chat completions": ("/v1/chat/completions", {"model": "m", "messages": [ASKED]}),
    "openai responses": ("/v1/responses", {"model": "m", "input": [ASKED], "store": False}),
    "anthropic messages": ("/v1/messages", {"model": "m", "max_tokens": 9, "messages": [ASKED]}),
    "gemini generateContent": ("/v1beta/models/m", {"contents": [{"parts": [{"text": "Go on."}]}]}),
}


def request(api: str, stream: bool) -> tuple[str, dict[str, Any]]:
    """The path and the body of a request to an API."""
    path, body = REQUESTS[api]
    if UPSTREAMS[api] != "gemini":
        return path, {**body, "stream": stream}
    return (f"{path}:streamGenerateContent?alt=sse" if stream else f"{path}:generateContent"), body


def write_settings(path: Path, stand_in: str) -> Path:
    """A settings file with the stand-in as each kind of upstream; `strip-...` take denied tools out."""
    upstreams = {
        f"{prefix}{kind}": {
            "kind": kind,
            "base_url": stand_in,
            "credential_env": "STAND_IN_CREDENTIAL",
            "on_denied_tool": "strip" if prefix else "block",
        }
        for kind in ("openai", "anthropic", "gemini")
        for prefix in ("", "strip-")
    }
    path.write_text(json.dumps({"upstreams": upstreams}))
    return path


class Firewall:
    """A policy server with a gateway, and what is behind it."""

    def __init__(
        self, server: ServerProcess, stand_in: StandIn, direct: str, secrets: dict[str, str]
    ) -> None:
        self.server = server
        self.stand_in = stand_in
        self._clients: list[Any] = []
        self.direct = direct
        """The stand-in's own URL."""
        self.key = secrets["shop-agent"]
        self.reviewer = As(server.client.request, secrets["dana"])
        self.admin = As(server.client.request, secrets["root"])

    def says(self, *turns: Turn) -> None:
        """What the model will say, from now on."""
        self.stand_in.received.clear()
        self.stand_in.model = Script(*turns)

    @property
    def received(self) -> MutableSequence[Received]:
        """The requests that reached the upstream since `says`."""
        return self.stand_in.received

    def told(self, number: int) -> str:
        """What the model was told of its calls with request ``number``."""
        received = self.received[number]
        return "\n".join(api_of(received.path).results(received.document))

    @property
    def headers(self) -> dict[str, str]:
        """The agent's key, wherever an API's clients put it."""
        return {
            "authorization": f"Bearer {self.key}",
            "x-api-key": self.key,
            "x-goog-api-key": self.key,
        }

    def base_url(self, api: str, prefix: str = "") -> str:
        return f"{self.server.url}/gateway/{prefix}{UPSTREAMS[api]}"

    def talk(
        self, api: str, tools: Sequence[str] = TOOLS, *, prefix: str = "", run: str | None = None
    ) -> Conversation:
        headers = {} if run is None else {"X-Policyc-Run": run}
        conversation: Conversation = APIS[api](self.base_url(api, prefix), self.key, tools, headers, "Go on.")
        self._clients.append(conversation.client)
        return conversation

    def close_clients(self) -> None:
        """Closes what `talk` opened."""
        for client in self._clients:
            client.close()
        self._clients.clear()

    def events(self, **filters: str) -> list[dict[str, Any]]:
        """All events until now, the newest first."""
        last = f"last-{uuid4()}"
        assert self.admin.post("/v1/evaluate", {"tool": "crm.get", "run": last}).status_code == 200
        # They are written in their order.
        eventually(lambda: self._events(run=last))
        return self._events(**filters)

    def _events(self, **filters: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.admin.get(f"/v1/events?{httpx.QueryParams(filters)}").json()[
            "events"
        ]
        return found


def ask(conversation: Conversation, stream: bool) -> Answer:
    """The next turn; what was heard of a streamed one is its text."""
    if not stream:
        return conversation.ask()
    heard: list[str] = []
    answer = conversation.ask(heard.append)
    assert "".join(heard) == answer.text
    return answer
