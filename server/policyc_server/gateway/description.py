"""The gateway's path in `/openapi.json`. What is below it is the vendor's to describe."""

from __future__ import annotations

from typing import Any

from policyc_server.gateway.headers import AGENT, RUN, SESSION

PATH = "/gateway/{upstream}/{path}"
METHODS = ("get", "post", "put", "patch", "delete")
_PARTS = {
    "upstream": "An upstream of the settings file.",
    "path": "A path of its API; it may have slashes.",
}
_HEADERS = {
    AGENT: "The agent, where the key is an admin's or there are no keys.",
    RUN: "The run that the request is a part of.",
    SESSION: "The session that it is a part of.",
}
_ANSWERS = {
    "default": "What the upstream answers, with calls as the policy leaves them.",
    "400": "A tool is denied (`firewall_blocked`), held (`firewall_approval_pending`), or JSON unreadable.",
    "404": "There is no such upstream.",
    "413": "The request is too large.",
    "415": "The request is packed.",
    "502": "The upstream cannot be reached, or its answer cannot be inspected.",
    "504": "The upstream did not answer in time.",
}


def path_item(refusals: dict[str, Any]) -> dict[str, Any]:
    """The same for every method. Errors are in the envelope of the upstream's kind; ``refusals`` are those
    where there is no such upstream."""
    operation = {
        "summary": "The API of an LLM vendor, behind the firewall",
        "parameters": [
            *(_parameter(name, "path", what, required=True) for name, what in _PARTS.items()),
            *(_parameter(name.decode(), "header", what) for name, what in _HEADERS.items()),
        ],
        "responses": {status: {"description": what} for status, what in _ANSWERS.items()} | refusals,
    }
    return dict.fromkeys(METHODS, operation)


def _parameter(name: str, where: str, what: str, *, required: bool = False) -> dict[str, Any]:
    schema = {"type": "string"}
    return {"name": name, "in": where, "description": what, "required": required, "schema": schema}
