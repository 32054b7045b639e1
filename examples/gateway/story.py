"""Plays an agent on each of the four APIs, and on MCP, through the firewall: no key, no network.

    python story.py                 needs the packages openai, anthropic, google-genai and mcp
    python story.py --look          waits at the end, for you to look at the console

A stand-in speaks the APIs behind the gateway, and a script is its model. Exit 0 only if every API told the
same story: the same calls ran, and the same were blocked, held and allowed once a person had approved.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent import work
from mcp_agent import McpAgent, connected
from model import Model, story
from official_clients import APIS
from tools import FAMILIES, TOOLS, mcp_server

from policyc.stand_in.app import StandIn
from policyc.stand_in.serving import serving

HERE = Path(__file__).parent
KINDS = ("openai", "anthropic", "gemini")
#: A tool of the agent that the policy denies whatever its arguments are.
FORBIDDEN = "crm__delete_contact"
_APPROVED = "Thanks. It is approved now: go on."
_VERDICTS = {"allow": "allowed", "deny": "BLOCKED", "pending_approval": "HELD   "}


class Server:
    """The policy server, asked as its agent and as its reviewer."""

    def __init__(self, url: str, agent: str, reviewer: str) -> None:
        self.url = url
        self.agent = agent
        self.reviewer = reviewer

    def events(self, surface: str) -> list[dict[str, Any]]:
        """What was decided at a surface, the oldest first."""
        return list(reversed(self._ask(f"/v1/events?surface={surface}&limit=100")["events"]))

    def run(self, name: str) -> list[dict[str, Any]]:
        """What was decided of the model's calls in a run, the oldest first."""
        run = self._ask(f"/v1/runs/{name}?limit=100")
        counts = Counter(event["verdict"] for event in run["events"])
        if any(run[verdict] != counts[verdict] for verdict in _VERDICTS):
            raise SystemExit(f"the run {name} counts other decisions than its events are")
        print(f"run {name}: {len(run['events'])} decisions, of tools that were offered and of calls")
        return [event for event in reversed(run["events"]) if event["surface"] == "response"]

    def approve(self) -> None:
        """The reviewer's yes to everything that waits."""
        for held in self._ask("/v1/approvals?state=pending")["approvals"]:
            print(f"dana approves {held['tool']} {json.dumps(held['args'])}")
            self._ask(f"/v1/approvals/{held['id']}/approve", {"comment": "release notes are fine"})

    def _ask(self, path: str, body: object = None) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {self.reviewer}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            answer: dict[str, Any] = json.load(response)
            return answer


def main(arguments: list[str]) -> int:
    model = Model()
    stand_in = StandIn(model)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(stand_in) as upstream,
        mcp_servers() as tools,
        policy_server(Path(folder), upstream, tools) as server,
    ):
        stories = [play(server, stand_in, model, api) for api in APIS]
        stories.append(asyncio.run(play_mcp(server)))
        if "--look" in arguments:
            input(f"\nlook at {server.url}/console with the key {server.reviewer}, then press Enter")
    is_same = all(story == stories[0] for story in stories)
    print("\nevery API, and MCP, told the same story" if is_same else "\nthe stories differ")
    return 0 if is_same else 1


def play(server: Server, stand_in: StandIn, model: Model, api: str) -> list[str]:
    """One conversation; the lines of what the firewall decided."""
    print(f"\n== {api}")
    run = api.replace(" ", "-")
    url = f"{server.url}/gateway/{next(kind for kind in KINDS if kind in api)}"
    headers = {"X-Policyc-Run": run}
    refuse(APIS[api](url, server.agent, list(TOOLS), headers, "Do your work."))

    model.begin()
    before = len(stand_in.received)
    offered = [name for name in TOOLS if name != FORBIDDEN]
    conversation = APIS[api](url, server.agent, offered, headers, "Do your work.")
    ran, turns = work(conversation, print)
    server.approve()
    conversation.say(_APPROVED)
    more_ran, more_turns = work(conversation, print)
    conversation.client.close()
    recovered = len(stand_in.received) - before - turns - more_turns
    print(f"{recovered} times the gateway told the model of a block, and it went on another way")
    return tell(server.run(run), ran + more_ran)


async def play_mcp(server: Server) -> list[str]:
    """The same story with the tools behind MCP, where the agent tells the model what came of its calls."""
    print("\n== MCP")
    async with connected(server.url, server.agent) as clients:
        agent = McpAgent(clients, story(), print)
        if await agent.offered() != [name for name in TOOLS if name != FORBIDDEN]:
            raise SystemExit(f"{FORBIDDEN} was listed")
        print(f"listing tools: {FORBIDDEN} is not among them")
        await agent.work()
        server.approve()
        await agent.work()
    return tell(server.events("mcp"), agent.ran)


def refuse(conversation: Any) -> None:
    """The agent offers a tool that no arguments could get allowed: its client raises its own error."""
    try:
        conversation.ask()
    except Exception as error:
        print(f"offering {FORBIDDEN}: {type(error).__name__}, the model was never asked")
        conversation.client.close()
    else:
        raise SystemExit(f"{FORBIDDEN} was offered to the model")


def tell(events: list[dict[str, Any]], ran: list[str]) -> list[str]:
    """The story by the events, which must be about the calls that ``ran``."""
    tools = [event["tool"].replace("__", ".") for event in events]
    lines = [
        f"{_VERDICTS[event['verdict']]} {tool} by {event['rule']!r}"
        for event, tool in zip(events, tools, strict=True)
    ]
    print(*(f"firewall: {line}" for line in lines), sep="\n")
    allowed = [tool for event, tool in zip(events, tools, strict=True) if event["verdict"] == "allow"]
    if allowed != [name.replace("__", ".") for name in ran]:
        raise SystemExit(f"allowed {allowed}, and ran {ran}")
    counts = Counter(event["verdict"] for event in events)
    print(f"{len(ran)} allowed, {counts['deny']} blocked, {counts['pending_approval']} held")
    return lines


@contextlib.contextmanager
def mcp_servers() -> Iterator[dict[str, str]]:
    """The tools behind MCP: the URL of each server."""
    with contextlib.ExitStack() as stack:
        yield {family: f"{stack.enter_context(serving(mcp_server(family)))}/mcp" for family in FAMILIES}


@contextlib.contextmanager
def policy_server(folder: Path, upstream: str, tools: dict[str, str]) -> Iterator[Server]:
    """The server on a free port, with the stand-in as each vendor and the MCP servers behind it."""
    state, settings = folder / "state", folder / "settings.yaml"
    secrets = [key(state, "shop-agent", "agent", "--agent", "shop"), key(state, "dana", "reviewer")]
    upstreams = {kind: {"kind": kind, "base_url": upstream} for kind in KINDS}
    servers = {name: {"url": url} for name, url in tools.items()}
    settings.write_text(json.dumps({"upstreams": upstreams, "mcp_servers": servers}))
    options = ["--state", str(state), "--durable-events", "--settings", str(settings), "--port", "0"]
    command = policyc("serve", "--bundle", str(HERE / "bundle"), *options)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"on (http://\S+)", line):
                yield Server(found[1], *secrets)
                return
        raise SystemExit("the server did not start")
    finally:
        process.terminate()
        process.communicate(timeout=30)


def key(state: Path, name: str, *role: str) -> str:
    """The secret of a new key."""
    command = policyc("keys", "create", name, "--role", *role, "--state", str(state))
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def policyc(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "policyc", *arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
