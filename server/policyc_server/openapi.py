"""`/openapi.json`: the API for people and tools; a test holds it against the routes and real answers."""

from __future__ import annotations

from typing import Any

from policyc import __version__
from policyc_server.gateway.description import PATH as GATEWAY
from policyc_server.gateway.description import path_item
from policyc_server.hook_events import PREFIX, TARGETS
from policyc_server.openapi_schemas import SCHEMAS

_CALL_EXAMPLE = {"tool": "payment.transfer", "args": {"amount_cents": 250000}, "stage": "mcp"}


def document() -> dict[str, object]:
    """The OpenAPI 3.1 document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "policyc evaluator",
            "version": __version__,
            "description": "Decides which tool calls of AI agents may run.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": _PATHS,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _ref(name: str) -> dict[str, object]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(description: str, schema: dict[str, object]) -> dict[str, object]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _body(schema: dict[str, object], example: object) -> dict[str, object]:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


_REFUSALS = {
    "401": _json("The API token is missing or wrong.", _ref("Error")),
    "403": _json("The Host or Origin is not this server's own.", _ref("Error")),
}
_BODY_REFUSALS = {
    **_REFUSALS,
    "408": _json("The body or the decision took too long.", _ref("Error")),
    "413": _json("The body is too large.", _ref("Error")),
    "422": _json("The body is JSON, but no call: `path` says where.", _ref("Error")),
}


def _get(summary: str, answer: dict[str, object], more: dict[str, object] | None = None) -> dict[str, object]:
    return {"get": {"summary": summary, "responses": {"200": answer, **_REFUSALS, **(more or {})}}}


def _hook(
    summary: str, answer: dict[str, object], body: dict[str, object] | None = None
) -> dict[str, object]:
    example = {"tool_call": {"name": "code_execution", "args": {"code": "ls", "language": "bash"}}}
    return {
        "post": {
            "summary": summary,
            "description": "Answers 200 whatever happens: the agent takes every other status for a yes.",
            "requestBody": _body(_ref("HookEvent"), example) if body is None else body,
            "responses": {"200": _json("Always.", answer)},
        }
    }


def _agent_hook(target: str) -> dict[str, object]:
    schema = {"type": "object", "description": f"What {target} gives its hooks on standard input."}
    answer: dict[str, object] = {
        "type": "object",
        "description": f"What {target} reads from its hooks; {{}} is no answer.",
    }
    body: dict[str, object] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return _hook(f"Decide a tool that {target} is about to run, or log one that it ran", answer, body)


def _store_get(
    summary: str, schema: str, *parameters: str, path: str | None = None, missing: bool = False
) -> dict[str, object]:
    """A reading of the store; `parameters` are of the query, but for the one that is in the `path`."""
    more: dict[str, object] = {
        "422": _json("A parameter is not understood: `path` names it.", _ref("Error")),
        "503": _json("The store cannot be read.", _ref("Error")),
    }
    if missing:
        more["404"] = _json("There is none, or it is another key's.", _ref("Error"))
    item = _get(summary, _json("As of now.", _ref(schema)), more)
    operation: dict[str, object] = item["get"]  # type: ignore[assignment]
    operation["parameters"] = [
        {
            "name": name,
            "in": "path" if name == path else "query",
            "required": name == path,
            "schema": {"type": "string"},
        }
        for name in parameters
    ]
    return item


def _decide(summary: str, schema: str, example: object, security: bool = True) -> dict[str, object]:
    operation: dict[str, object] = {
        "summary": summary,
        "parameters": [{"name": "approval", "in": "path", "required": True, "schema": {"type": "string"}}],
        "requestBody": {**_body(_ref(schema), example), "required": schema == "Callback"},
        "responses": {
            "200": _json("As decided.", _ref("ApprovalForPeople")),
            "400": _json("The body is not JSON.", _ref("Error")),
            **_BODY_REFUSALS,
            "403": _json("No reviewer, none of the rule's approvers, or not signed.", _ref("Error")),
            "404": _json("There is no such approval.", _ref("Error")),
            "409": _json("Decided already, or over: `metadata` says what and by whom.", _ref("Error")),
            "503": _json("The store took nothing; nothing was decided.", _ref("Error")),
        },
    }
    return {"post": operation if security else {**operation, "security": []}}


_ONE = "/v1/approvals/{approval}"
_FILTERS = (
    "verdict", "surface", "tool", "agent", "run", "rule", "policy", "revision", "since", "until", "text",
)  # fmt: skip

#: Routes that are there where the server has a store.
_STORE_PATHS: dict[str, Any] = {
    "/v1/events": _store_get(
        "Evaluations, the newest first; `format=jsonl` for all as JSON lines", "Events", *_FILTERS, "limit",
        "before", "format",
    ),
    "/v1/events/stream": {
        "get": {
            "summary": "Evaluations as they are committed (server-sent events; Last-Event-ID)",
            "parameters": [
                {"name": name, "in": "query", "schema": {"type": "string"}} for name in (*_FILTERS, "after")
            ],
            "responses": {
                "200": {
                    "description": "One event each.",
                    "content": {"text/event-stream": {"schema": {"type": "string"}}},
                },
                **_REFUSALS,
            },
        }
    },
    "/v1/runs": _store_get("Runs, the last active first", "Runs", "limit", "before"),
    "/v1/runs/{run}": _store_get("One run's counts and events", "Run", "run", "limit", "before", path="run"),
    "/v1/shadow": _store_get("What rules in shadow would have done", "Shadow"),
    "/v1/approvals": _store_get("Holds, the newest first", "Approvals", "state", "limit", "before"),
    _ONE: _store_get(
        "One approval; `wait` for up to 60 s while it is pending", "Approval", "approval", "wait",
        path="approval", missing=True,
    ),
    _ONE + "/approve": _decide("Let the call pass once", "Comment", {"comment": "checked with ops"}),
    _ONE + "/deny": _decide("Refuse the call", "Comment", {"comment": "not on a Friday"}),
    _ONE + "/callback": _decide(
        "Decide with a signature in place of a key",
        "Callback",
        {"approval_id": "5b6f...", "decision": "approve", "by": "dana"},
        security=False,
    ),
    "/v1/lockdown": {
        **_get("Whether every call is denied", _json("Now.", _ref("Lockdown"))),
        "post": {
            "summary": "Deny every call, or lift that",
            "requestBody": _body(_ref("LockdownChange"), {"on": True, "why": "an incident"}),
            "responses": {
                "200": _json("As it stands now.", _ref("Lockdown")),
                "400": _json("The body is not JSON.", _ref("Error")),
                **_BODY_REFUSALS,
                "503": _json("The store took nothing; nothing was turned.", _ref("Error")),
            },
        },
    },
    "/v1/mcp/pins": _store_get("Tools of MCP servers: what was accepted, what changed since", "Pins"),
    "/v1/mcp/pins/accept": {
        "post": {
            "summary": "Accept a tool that changed as what has this fingerprint",
            "requestBody": _body(
                _ref("PinAccepted"), {"server": "crm", "tool": "get", "fingerprint": "3f9a..."}
            ),
            "responses": {
                "200": _json("As it stands now.", _ref("Pin")),
                "400": _json("The body is not JSON.", _ref("Error")),
                **_BODY_REFUSALS,
                "409": _json("There is no tool that changed into that.", _ref("Error")),
                "503": _json("The store took nothing.", _ref("Error")),
            },
        }
    },
}  # fmt: skip

_EXPLAIN: dict[str, object] = {
    "name": "explain",
    "in": "query",
    "required": False,
    "schema": {"enum": ["0", "1"]},
    "description": "1 tells what each rule said; not for keys of role agent.",
}

_EVALUATED: dict[str, object] = {
    "200": _json(
        "The decisions, in order.",
        {"oneOf": [_ref("Decision"), {"type": "array", "items": _ref("Decision")}]},
    ),
    "400": _json("The body is not JSON.", _ref("Error")),
    **_BODY_REFUSALS,
}

_PATHS: dict[str, object] = {
    "/v1/evaluate": {
        "post": {
            "summary": "Decide one call, or a list of calls by one revision",
            "parameters": [_EXPLAIN],
            "requestBody": _body(
                {"oneOf": [_ref("Call"), {"type": "array", "items": _ref("Call")}]}, _CALL_EXAMPLE
            ),
            "responses": _EVALUATED,
        }
    },
    "/v1/enforce": {
        "post": {
            "summary": "Decide one call, and refuse it by status where it must not run",
            "requestBody": _body(_ref("Call"), _CALL_EXAMPLE),
            "responses": {
                "200": _json("The call may run.", _ref("Decision")),
                "400": {
                    **_json(
                        "The call is blocked or waits for a reviewer, or the body is not JSON.",
                        {"oneOf": [_ref("Blocked"), _ref("Pending"), _ref("Error")]},
                    ),
                    "headers": {
                        "x-should-retry": {
                            "description": "`false` where the call is blocked or waits.",
                            "schema": {"type": "string"},
                        }
                    },
                },
                **_BODY_REFUSALS,
            },
        }
    },
    "/v1/hooks/pre_tool_execution": _hook("Decide a tool that is about to run", _ref("HookDecision")),
    "/v1/hooks/post_tool_execution": _hook(
        "Log a tool that ran", {"type": "object", "additionalProperties": False}
    ),
    **{PREFIX + target: _agent_hook(target) for target in TARGETS},
    "/v1/policies": _get("The policies that are served", _json("By bundle.", _ref("Policies"))),
    "/v1/reload": {
        "post": {
            "summary": "Look at the source of the policy now",
            "responses": {
                "200": _json("What is there is served.", _ref("Status")),
                **_REFUSALS,
                "408": _json("The look takes too long, and goes on.", _ref("Error")),
                "409": _json("What is there cannot be served; the last good policy is.", _ref("Error")),
            },
        }
    },
    "/v1/status": _get("What is served, since when, and what is wrong", _json("Now.", _ref("Status"))),
    GATEWAY: path_item(_REFUSALS),
    "/health": {
        "get": {
            "summary": "Whether decisions rest on a current policy; needs no token",
            "security": [],
            "responses": {
                "200": _json("They do.", _ref("Health")),
                "403": _REFUSALS["403"],
                "503": _json("They do not: every call is denied.", _ref("Health")),
            },
        }
    },
    "/metrics": _get(
        "Prometheus metrics",
        {"description": "Text format.", "content": {"text/plain": {"schema": {"type": "string"}}}},
    ),
    "/openapi.json": _get("This document", _json("OpenAPI 3.1.", {"type": "object"})),
    **_STORE_PATHS,
}
