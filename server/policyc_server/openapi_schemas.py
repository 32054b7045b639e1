"""The JSON Schemas of what the API takes and gives."""

from __future__ import annotations

from policyc.engine.model import STAGES, VERDICTS
from policyc_server.approvals.approval import RULE_CHANGED, STATES, TIMED_OUT

Schema = dict[str, object]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_TIME: Schema = {"type": "string", "format": "date-time"}
_VERDICT: Schema = {"enum": list(VERDICTS)}


def _or_null(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "null"}]}


def _object(properties: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


#: How often something decided, and when it did last; null without a store.
_HITS: Schema = _or_null(_object({"count": _COUNT, "last_at": _or_null(_TIME)}))

_FAILURE = _object({"code": _TEXT, "message": _TEXT, "first_at": _TIME, "last_at": _TIME, "attempts": _COUNT})

_EVENT = _object(
    {
        "seq": _COUNT,
        "id": _TEXT,
        "at": _TIME,
        "surface": _TEXT,
        "stage": _TEXT,
        "agent": _or_null(_TEXT),
        "key": _or_null(_TEXT),
        "run": _or_null(_TEXT),
        "session": _or_null(_TEXT),
        "environment_id": _or_null(_TEXT),
        "tool": _TEXT,
        "verdict": _VERDICT,
        "would_be": _or_null(_VERDICT),
        "rule": _or_null(_TEXT),
        "policy": _or_null(_TEXT),
        "revision": _TEXT,
        "version": _or_null(_COUNT),
        "reason": _TEXT,
        "reason_code": _TEXT,
        "risk_factors": _TEXTS,
        "latency_us": _COUNT,
        "fingerprint": _TEXT,
        "args": {},
        "call_id": _or_null(_TEXT),
        "outcome": _or_null({"enum": ["success", "error"]}),
        "error": _or_null(_TEXT),
    }
)
_RUN = {
    "run": _TEXT,
    "agent": _or_null(_TEXT),
    "first_at": _TIME,
    "last_at": _TIME,
    "allow": _COUNT,
    "audit": _COUNT,
    "sanitize": _COUNT,
    "deny": _COUNT,
    "pending_approval": _COUNT,
}

_METADATA: dict[str, Schema] = {
    "rule": _or_null(_TEXT),
    "policy": _or_null(_TEXT),
    "reason_code": _TEXT,
    "risk_factors": _TEXTS,
    "decision_id": {"type": "string", "format": "uuid"},
    "revision": _TEXT,
}
#: What a held call brings with it.
_HELD: dict[str, Schema] = {
    "approval_id": _TEXT,
    "poll": {"type": "string", "format": "uri-reference"},
    "expires_at": _TIME,
    "approved": _FLAG,
}
#: What one rule said of a call.
_EXPLAINED = _object(
    {
        "rule": _TEXT,
        "source": _TEXT,
        "priority": {"type": "integer"},
        "verdict": _VERDICT,
        "shadow": _FLAG,
        "part": {"type": "integer", "description": "Which part of a call that does several things, from 1."},
        "matched": {"type": ["boolean", "null"], "description": "Null where it cannot be known."},
        "failed": _or_null({"type": "object", "description": "The first condition that failed."}),
        "near_miss": _or_null(_object({"rank": _COUNT, "unmet": {"type": "array"}})),
        "budget": _or_null({"type": "object", "description": "The budget and what was counted."}),
    }
)
_DECIDED: dict[str, Schema] = {
    "id": _TEXT,
    "state": {"enum": list(STATES)},
    "cause": _or_null({"enum": [TIMED_OUT, RULE_CHANGED]}),
    "tool": _TEXT,
    "policy": _TEXT,
    "rule": _TEXT,
    "reason": _TEXT,
    "decided_by": _or_null(_TEXT),
    "comment": _or_null(_TEXT),
    "opened_at": _TIME,
    "expires_at": _TIME,
    "decided_at": _or_null(_TIME),
    "consumed_at": _or_null(_TIME),
}
_CALLERS_APPROVAL: dict[str, Schema] = {
    **_DECIDED,
    "token": {**_or_null(_TEXT), "description": "There while it is approved."},
}
_APPROVAL: dict[str, Schema] = {
    **_DECIDED,
    "key": _or_null(_TEXT),
    "agent": _or_null(_TEXT),
    "run": _or_null(_TEXT),
    "session": _or_null(_TEXT),
    "surface": _TEXT,
    "stage": _TEXT,
    "revision": _TEXT,
    "source": _or_null(_TEXT),
    "reason_code": _TEXT,
    "decided_from": _or_null(_TEXT),
    "fingerprint": _TEXT,
    "risk_factors": _TEXTS,
    "approvers": _TEXTS,
    "context": {"type": "object"},
    "args": {"description": "Whole for reviewers while it is pending, else the masked summary."},
    "args_masked": _FLAG,
    "rule_changed": _FLAG,
}
_LOG: Schema = {
    "type": "array",
    "items": _object(
        {
            "action": _TEXT,
            "at": _TIME,
            "by": _or_null(_TEXT),
            "from": _or_null(_TEXT),
            "why": _or_null(_TEXT),
        }
    ),
}
_DEFINITION = _object({"fingerprint": _TEXT, "definition": {"type": "object"}})

_SERVED = _object(
    {
        "bundle": _TEXT,
        "revision": _TEXT,
        "version": _or_null(_COUNT),
        "digest": _TEXT,
        "signed_by": _or_null(_TEXT),
        "activated_at": _TIME,
    }
)
_EXPORT = _object(
    {
        "target": _TEXT,
        "is_exporting": {"type": "boolean"},
        "sent": _COUNT,
        "waiting": _COUNT,
        "error": _or_null(_TEXT),
    }
)
_WORKER = _object(
    {
        "id": _TEXT,
        "host": _TEXT,
        "pid": _COUNT,
        "worker": _COUNT,
        "started_at": _TIME,
        "status": {"enum": ["ok", "not_ready", "policy_stale"]},
        "policy": _or_null(_SERVED),
        "error": _or_null(_FAILURE),
    }
)

SCHEMAS: dict[str, Schema] = {
    "Call": {
        "description": "A call, or the hook payload of a known agent, told by its shape.",
        "type": "object",
        "anyOf": [
            {"required": ["tool"]},
            {"required": ["tool_call"]},
            {"required": ["tool_name", "tool_input"]},
        ],
        "properties": {
            "tool": _TEXT,
            "args": {"type": "object"},
            "stage": {"enum": list(STAGES), "default": "mcp"},
            "agent": _or_null(_TEXT),
            "skill": _or_null(_TEXT),
            "run": _or_null(_TEXT),
            "session": _or_null(_TEXT),
            "environment_id": _or_null(_TEXT),
            "cwd": _or_null(_TEXT),
            "os": _or_null(_TEXT),
            "realpaths": _or_null(_TEXTS),
            "cost_cents": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "What the run has spent since it last said so.",
            },
        },
    },
    "Decision": _object(
        {
            "decision_id": {"type": "string", "format": "uuid"},
            "verdict": _VERDICT,
            "allowed": _FLAG,
            "rule": _or_null(_TEXT),
            "policy": _or_null(_TEXT),
            "priority": _or_null({"type": "integer"}),
            "reason": _TEXT,
            "reason_code": _TEXT,
            "risk_factors": _TEXTS,
            "shadow": _FLAG,
            "would_be": _or_null(_VERDICT),
            "revision": {"type": "string", "description": "Empty while there is no policy."},
            "args": {"type": "object", "description": "The arguments to run the tool with."},
        },
        {**_HELD, "explain": {"type": "array", "items": _EXPLAINED}},
    ),
    "Blocked": _object(
        {
            "error": _object(
                {
                    "code": {"const": "firewall_blocked"},
                    "type": {"const": "invalid_request_error"},
                    "message": _TEXT,
                    "metadata": _object(_METADATA),
                    "skip_retry": {"const": True},
                }
            )
        }
    ),
    "Pending": _object(
        {
            "error": _object(
                {
                    "code": {"const": "firewall_approval_pending"},
                    "type": {"const": "invalid_request_error"},
                    "message": _TEXT,
                    "metadata": _object({**_METADATA, **_HELD}),
                    "skip_retry": {"const": True},
                }
            )
        }
    ),
    "Error": _object(
        {
            "error": _object(
                {"code": _TEXT, "type": _TEXT, "message": _TEXT},
                {
                    "path": _TEXT,
                    "metadata": {
                        "type": "object",
                        "description": "Of a hold that was decided already: what, by whom, when and why.",
                    },
                },
            )
        }
    ),
    "Approval": {
        "description": "For the key that opened the hold, with its token; for people, with the call.",
        "oneOf": [_object(_CALLERS_APPROVAL), _object(_APPROVAL, {"log": _LOG})],
    },
    "ApprovalForPeople": _object(_APPROVAL),
    "Approvals": _object(
        {"approvals": {"type": "array", "items": _object(_APPROVAL)}, "next": _or_null(_TEXT)}
    ),
    "Comment": _object({}, {"comment": _or_null(_TEXT)}),
    "Callback": _object(
        {"approval_id": _TEXT, "decision": {"enum": ["approve", "deny"]}, "by": _TEXT},
        {"comment": _or_null(_TEXT)},
    ),
    "HookEvent": {
        "type": "object",
        "required": ["tool_call"],
        "properties": {
            "tool_call": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": _TEXT, "args": {"type": "object"}},
            },
            "environment_id": _or_null(_TEXT),
        },
    },
    "HookDecision": {
        "oneOf": [
            _object({"decision": {"const": "allow"}}),
            _object({"decision": {"const": "deny"}, "reason": _TEXT}),
        ]
    },
    "Policies": _object(
        {
            "bundle": _or_null(_TEXT),
            "revision": _TEXT,
            "default_policy": _or_null(_TEXT),
            "bindings": {"type": "array", "items": _object({"agents": _TEXTS, "policy": _TEXT})},
            "policies": {
                "type": "array",
                "items": _object(
                    {
                        "policy": _TEXT,
                        "default_verdict": _VERDICT,
                        "default_hits": _HITS,
                        "shadow": _FLAG,
                        "source": _TEXT,
                        "rules": {
                            "type": "array",
                            "items": _object(
                                {
                                    "label": _TEXT,
                                    "priority": {"type": "integer"},
                                    "verdict": _VERDICT,
                                    "stages": _or_null(_TEXTS),
                                    "tools": _or_null(_TEXTS),
                                    "clauses": _COUNT,
                                    "shadow": _FLAG,
                                    "source": _TEXT,
                                    "hits": _HITS,
                                }
                            ),
                        },
                    }
                ),
            },
        }
    ),
    "Status": _object(
        {
            "status": {"enum": ["ok", "not_ready", "policy_stale"]},
            "started_at": _TIME,
            "source": _TEXT,
            "policy": _or_null(_SERVED),
            "policy_age_seconds": _or_null(_NUMBER),
            "max_stale_seconds": _or_null(_NUMBER),
            "reload": _object(
                {
                    "activated": _COUNT,
                    "unchanged": _COUNT,
                    "failed": _COUNT,
                    "error": _or_null(_FAILURE),
                    "events_error": _or_null(_TEXT),
                }
            ),
            "download": _or_null(
                _object(
                    {
                        "etag": _or_null(_TEXT),
                        "http_status": _or_null(_COUNT),
                        "asked_at": _or_null(_TIME),
                        "answered_at": _or_null(_TIME),
                        "served_from": _or_null({"enum": ["source", "copy"]}),
                        "copy_error": _or_null(_TEXT),
                    }
                )
            ),
            "decision_log": _or_null(
                _object({"written": _COUNT, "dropped": _COUNT, "waiting": _COUNT, "error": _or_null(_TEXT)})
            ),
            "store": _or_null(
                _object({"written": _COUNT, "lost": _COUNT, "waiting": _COUNT, "error": _or_null(_TEXT)})
            ),
            "approvals": _or_null(_object({"pending": _COUNT, "error": _or_null(_TEXT)})),
            "budgets": _or_null(_object({"failed": _COUNT, "error": _or_null(_TEXT)})),
            "exports": {"type": "array", "items": _EXPORT},
            "workers": {"type": "array", "items": _WORKER},
        }
    ),
    "Health": _object(
        {"status": {"enum": ["ok", "not_ready", "policy_stale"]}},
        {"missing": _TEXTS, "policy_age_seconds": _NUMBER, "error": _or_null(_TEXT)},
    ),
    "Event": _EVENT,
    "Events": _object({"events": {"type": "array", "items": _EVENT}, "next": _or_null(_TEXT)}),
    "Runs": _object({"runs": {"type": "array", "items": _object(_RUN)}, "next": _or_null(_TEXT)}),
    "Run": _object({**_RUN, "events": {"type": "array", "items": _EVENT}, "next": _or_null(_TEXT)}),
    "Shadow": _object(
        {
            "rules": {
                "type": "array",
                "items": _object(
                    {
                        "policy": _TEXT,
                        "rule": _or_null(_TEXT),
                        "would_be": _VERDICT,
                        "count": _COUNT,
                        "last_at": _TIME,
                        "calls": {
                            "type": "array",
                            "items": _object(
                                {"agent": _or_null(_TEXT), "tool": _TEXT, "count": _COUNT, "last_at": _TIME}
                            ),
                        },
                    }
                ),
            }
        }
    ),
    "Lockdown": _object({"on": _FLAG, "at": _or_null(_TIME), "by": _or_null(_TEXT), "why": _or_null(_TEXT)}),
    "LockdownChange": _object({"on": _FLAG}, {"why": _or_null(_TEXT)}),
    "Pins": _object({"pins": {"type": "array", "items": {"$ref": "#/components/schemas/Pin"}}}),
    "Pin": _object(
        {
            "server": _TEXT,
            "tool": _TEXT,
            "accepted": _DEFINITION,
            "accepted_by": _or_null(_TEXT),
            "accepted_at": _TIME,
            "first_seen": _TIME,
            "changed": _or_null(_DEFINITION),
            "changed_at": _or_null(_TIME),
        }
    ),
    "PinAccepted": _object({"server": _TEXT, "tool": _TEXT, "fingerprint": _TEXT}),
}
