"""Problems that the JSON Schemas find."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error

_GOOD = "- {priority: 1, verdict: deny}\n"
_POLICY = "-- policies/payments.yaml --\n- {priority: 9999, verdict: deny}\n"


def _rule(clause: str) -> str:
    return f"- priority: 1\n  args_match:\n    clauses:\n      - {clause}\n  verdict: deny\n"


ENTRIES: tuple[Entry, ...] = (
    error(
        "unknown_key",
        "An unknown key",
        "A key that nobody reads would be a condition that nobody checks, so it is refused.",
        "- {priority: 1, tool_name_golb: 'crm.*', verdict: deny}\n",
        "- {priority: 1, tool_name_glob: 'crm.*', verdict: deny}\n",
    ),
    error(
        "missing_key",
        "A required key is missing",
        "A rule needs `priority` and `verdict`; a clause needs `path`, `op` and, but for `exists`, `value`; "
        "`bundle.yaml` needs `bundle`.",
        "- {tool_name_glob: 'crm.*', verdict: deny}\n",
        "- {priority: 1, tool_name_glob: 'crm.*', verdict: deny}\n",
    ),
    error(
        "wrong_type",
        "A value of the wrong type",
        "The key takes another type. Mind the YAML 1.2 types: `true` is a bool, `12` a number, `no` a "
        "string.",
        "- {priority: high, verdict: deny}\n",
        _GOOD,
    ),
    error(
        "unknown_verdict",
        "An unknown verdict",
        "A rule's verdict is `allow`, `audit`, `sanitize`, `deny`, `pending_approval` or `cap_cost`; a "
        "`default_verdict` is `allow`, `audit` or `deny`.",
        "- {priority: 1, verdict: block}\n",
        _GOOD,
    ),
    error(
        "unknown_operator",
        "An unknown operator",
        "The operators are `eq`, `contains`, `regex`, `in`, `cidr_match`, `gt`, `lt`, `gte`, `lte`, "
        "`starts_with`, `ends_with`, `exists`, `path`, `host` and `shell`.",
        _rule("{path: $.n, op: greater, value: 1}"),
        _rule("{path: $.n, op: gt, value: 1}"),
    ),
    error(
        "unknown_stage",
        "An unknown stage",
        "The stages are `inbound`, `response`, `mcp`, `hook` and `egress`; a rule without `stage` acts on "
        "all.",
        "- {priority: 1, stage: hooks, verdict: deny}\n",
        "- {priority: 1, stage: hook, verdict: deny}\n",
    ),
    error(
        "unknown_choice",
        "A word the key does not take",
        "`on_missing` and `unknown` are `no_match` or `match`; `match` is `any` or `all`.",
        _rule("{path: $.n, op: eq, value: 1, match: every}"),
        _rule("{path: $.n, op: eq, value: 1, match: all}"),
    ),
    error(
        "unknown_handler",
        "An unknown hook handler",
        "A handler is the word `gate` or `server`, or a mapping with `type: command` or `type: http`.",
        "-- bundle.yaml --\nbundle: payments\nhooks:\n  gate:\n    pre_tool_execution:\n"
        "      - handler: {type: script, command: ./gate.py}\n" + _POLICY,
        "-- bundle.yaml --\nbundle: payments\nhooks:\n  gate:\n    pre_tool_execution:\n"
        "      - handler: {type: command, command: ./gate.py}\n" + _POLICY,
    ),
    error(
        "empty_glob_list",
        "An empty list of globs",
        "Does it mean no tool or every tool? Leave the key out for every tool.",
        "- {priority: 1, tool_name_glob: [], verdict: deny}\n",
        _GOOD,
    ),
    error(
        "empty_list",
        "An empty list",
        "The list must name something, or be left out.",
        "- {priority: 1, stage: [], verdict: deny}\n",
        _GOOD,
    ),
    error(
        "empty_text",
        "An empty string",
        "The key needs a value, or must be left out.",
        "- {priority: 1, label: '', verdict: deny}\n",
        _GOOD,
    ),
    error(
        "out_of_range",
        "A number out of range",
        "`priority` is between -1,000,000,000 and 1,000,000,000; a hook's `timeout` between 1 and 600 "
        "seconds.",
        "- {priority: 10000000000, verdict: deny}\n",
        _GOOD,
    ),
    error(
        "bad_name",
        "A name that cannot be used",
        "A bundle's name is part of paths and of Rego packages: lower-case letters, digits and `_`, "
        "starting with a letter. A policy's name may also have capitals, `-` and `.`.",
        "-- bundle.yaml --\nbundle: Payments-Agent\n" + _POLICY,
        "-- bundle.yaml --\nbundle: payments_agent\n" + _POLICY,
    ),
    error(
        "rule_not_in_list",
        "A rule that is not in a list",
        "A policy file is a list of rules, or a mapping with `rules`. Put a `-` before the rule (in JSON, "
        "`[` and `]` around it).",
        "priority: 1\nverdict: deny\n",
        "- priority: 1\n  verdict: deny\n",
    ),
)
