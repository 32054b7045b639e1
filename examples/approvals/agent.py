"""An agent's loop behind a policy server: what is held waits for a person, and then runs once.

    POLICYC_URL=http://127.0.0.1:8460 POLICYC_KEY=pc_... python agent.py

The model is a script, so that the story is the same each time; everything else is what an agent would do.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

RUN = "ship-shop-1.4"
#: Seconds that one poll waits at the server.
WAIT = 20


class Refused(Exception):
    """The tool must not run; the message is for the model."""

    def __init__(self, reason_code: str, message: str) -> None:
        super().__init__(message)
        self.reason_code = reason_code


@dataclass(frozen=True)
class Held:
    """The call waits for a person; ``poll`` is the URL that says how it stands."""

    approval: str
    poll: str


class Firewall:
    """Asks the policy server before a tool runs."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}

    def permit(self, tool: str, args: dict[str, Any], token: str | None = None) -> dict[str, Any] | Held:
        """The decision under which the tool may run, or that it is held. Raises Refused."""
        headers = {} if token is None else {"X-Firewall-Approval": token}
        status, answer = self._send(
            f"{self._url}/v1/enforce", {"tool": tool, "args": args, "run": RUN}, headers
        )
        if status == 200:
            return answer
        error = answer["error"]
        metadata = error.get("metadata", {})
        if error["code"] == "firewall_approval_pending":
            return Held(metadata["approval_id"], urljoin(self._url, metadata["poll"]))
        raise Refused(metadata.get("reason_code", error["code"]), error["message"])

    def token(self, held: Held) -> str:
        """Waits for the person. Raises Refused where the answer is no, or does not come in time."""
        while True:
            status, answer = self._send(f"{held.poll}?wait={WAIT}")
            if status != 200:
                raise Refused(answer["error"]["code"], answer["error"]["message"])
            if answer["state"] == "approved":
                say(f"approved by {answer['decided_by']}: {answer['comment'] or 'no comment'}")
                return str(answer["token"])
            if answer["state"] != "pending":
                raise Refused(f"approval_{answer['state']}", f"{held.approval} is {answer['state']}")

    def _send(
        self, url: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {**self._headers, **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=WAIT + 10) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)


def run_tool(firewall: Firewall, tool: str, args: dict[str, Any]) -> str:
    """One step of the loop: permitted, held and then permitted, or refused. The tool runs at most once."""
    permit = firewall.permit(tool, args)
    if isinstance(permit, Held):
        say(f"held as approval {permit.approval}")
        token = firewall.token(permit)
        firewall.permit(tool, args, token)
        result = TOOLS[tool](**args)
        say(result)
        return refused_again(firewall, tool, args, token)
    result = TOOLS[tool](**args)
    say(result)
    return result


def refused_again(firewall: Firewall, tool: str, args: dict[str, Any], token: str) -> str:
    """What a loop that goes on trying gets: the token let one call through, and no other."""
    try:
        firewall.permit(tool, args, token)
    except Refused as refused:
        say(f"the same call again: refused ({refused.reason_code})")
        return refused.reason_code
    raise SystemExit("the same approval passed twice")


def release(service: str, version: str, environment: str) -> str:
    return f"RAN deploy.release: {service} {version} is in {environment}"


TOOLS = {"deploy.release": release}


def model(results: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the model wants next, seeing what came of the last."""
    shop = {"service": "shop", "version": "1.4"}
    yield "deploy.release", {**shop, "environment": "staging"}
    if results[-1].startswith("RAN"):
        yield "deploy.release", {**shop, "environment": "production"}


def say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    firewall = Firewall(os.environ["POLICYC_URL"], os.environ["POLICYC_KEY"])
    results: list[str] = []
    for tool, args in model(results):
        say(f"the model calls {tool} {json.dumps(args)}")
        try:
            results.append(run_tool(firewall, tool, args))
        except Refused as refused:
            say(f"refused ({refused.reason_code}): {refused}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
