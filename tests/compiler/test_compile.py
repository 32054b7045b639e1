"""Source trees to the data of an artifact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sources_on_disk import compile_files

from policyc.compiler import Compilation, compile_tree
from policyc.engine.plan import Plan
from policyc.source.tree import SourceTree


def compile_policy(text: str, path: str = "policy.yaml") -> Compilation:
    return compile_tree(SourceTree({path: text.encode()}, "lone", single=True), presets={})


def compile_bundle(files: dict[str, str], presets: dict[str, SourceTree] | None = None) -> Compilation:
    tree = SourceTree({path: text.encode() for path, text in files.items()}, "folder")
    return compile_tree(tree, presets=presets or {})


def data(compilation: Compilation) -> dict[str, Any]:
    assert compilation.data is not None, compilation.diagnostics
    Plan.load(json.loads(json.dumps(compilation.data)))
    return compilation.data


def test_everything_a_rule_can_say_is_in_the_data() -> None:
    text = """\
description: What the payments agent may do.
default_verdict: deny
shadow: true
rules:
  - priority: 5
    label: cap payment amount
    stage: [mcp, hook]
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount_cents, op: gt, value: 100000}
        - {path: "$.to[*]", op: in, value: [a, b], not: true, on_missing: match, match: all}
    verdict: deny
    reason: Payments above 1,000.00 need a person.
    reason_code: over_cap
    risk_factors: [money, irreversible]
    notes: not in the plan
"""
    found = data(compile_policy(text))
    assert found == {
        "format": 1,
        "bundle": "lone",
        "default_policy": "policy",
        "bindings": [],
        "server": None,
        "hooks": [],
        "network": None,
        "mask": [],
        "meta_tools": [],
        "policies": {
            "policy": {
                "default_verdict": "deny",
                "shadow": True,
                "description": "What the payments agent may do.",
                "source": {"path": "policy.yaml", "line": 1},
                "rules": [
                    {
                        "label": "cap payment amount",
                        "priority": 5,
                        "stages": ["mcp", "hook"],
                        "tools": ["payment.*"],
                        "clauses": [
                            {
                                "path": "$.amount_cents",
                                "steps": [["field", "amount_cents"]],
                                "op": "gt",
                                "value": 100000,
                                "not": False,
                                "on_missing": "no_match",
                                "match": "any",
                            },
                            {
                                "path": "$.to[*]",
                                "steps": [["field", "to"], ["wildcard"]],
                                "op": "in",
                                "value": ["a", "b"],
                                "not": True,
                                "on_missing": "match",
                                "match": "all",
                            },
                        ],
                        "verdict": "deny",
                        "reason": "Payments above 1,000.00 need a person.",
                        "reason_code": "over_cap",
                        "risk_factors": ["money", "irreversible"],
                        "source": {"path": "policy.yaml", "line": 5, "column": 5},
                    }
                ],
            }
        },
    }


def test_what_understands_the_call_is_in_the_data() -> None:
    compilation = compile_tree(
        SourceTree(
            {
                "a.yaml": b"""
- priority: 1
  args_match:
    clauses:
      - {path: $.command, op: shell, value: {program: rm, all_flags: [-r, -f]}, unknown: no_match}
      - {path: $.path, op: path, value: [~/.ssh/**]}
      - {path: $.url, op: host, value: '*.example.com', match: all}
  verdict: deny
- {priority: 2, verdict: sanitize, sanitize: {presets: [email], custom: ['A-[0-9]+']}}
- {priority: 3, stage: egress, verdict: allow, egress: {allow: ['*'], deny: [10.0.0.0/8]}}
"""
            },
            "a",
            single=True,
        ),
        presets={},
    )
    assert compilation.diagnostics == ()
    assert compilation.data is not None
    first, second, third = compilation.data["policies"]["a"]["rules"]
    shell, path, host = first["clauses"]
    assert (shell["value"], shell["unknown"]) == ({"program": "rm", "all_flags": ["-r", "-f"]}, "no_match")
    assert path["value"] == ["~/.ssh/**"]
    assert "unknown" not in path
    assert (host["value"], host["match"]) == ("*.example.com", "all")
    assert second["sanitize"] == {"presets": ["email"], "custom": ["A-[0-9]+"]}
    assert (third["stages"], third["egress"]) == (["egress"], {"allow": ["*"], "deny": ["10.0.0.0/8"]})
    assert not {"sanitize", "egress"} & set(first)
    Plan.load(json.loads(json.dumps(compilation.data)))


def test_a_bare_array_is_a_policy_that_audits_what_no_rule_matches() -> None:
    array = '[{"priority": 1, "tool_name_glob": "crm.get*", "verdict": "allow"}]'
    policy = data(compile_policy(array, "crm read.json"))["policies"]["crm_read"]
    assert policy["default_verdict"] == "audit"
    assert policy["rules"][0]["label"] == "crm_read#1"


def test_a_pasted_json_array_is_the_same_under_rules() -> None:
    array = (
        '[{"priority": 1, "args_match": {"clauses": [{"path": "$.c", "op": "regex", "value": "a\\\\s"}]},\n'
    )
    array += '  "verdict": "deny"}]'
    indented = "rules:\n" + "".join(f"  {line}\n" for line in array.splitlines())
    alone = data(compile_policy(array))["policies"]["policy"]["rules"]
    pasted = data(compile_policy(indented))["policies"]["policy"]["rules"]
    for rule in alone + pasted:
        del rule["source"]
    assert alone == pasted
    assert alone[0]["clauses"][0]["value"] == "a\\s"


@pytest.mark.parametrize(
    ("verdict", "match"),
    [("deny", "any"), ("pending_approval", "any"), ("sanitize", "any"), ("allow", "all"), ("audit", "all")],
)
def test_several_values_never_widen_an_allow(verdict: str, match: str) -> None:
    sanitize = ", sanitize: {presets: [email]}" if verdict == "sanitize" else ""
    clauses = "args_match: {clauses: [{path: $.a, op: exists}]}"
    text = f"[{{priority: 1, verdict: {verdict}{sanitize}, {clauses}}}]"
    [clause] = data(compile_policy(text))["policies"]["policy"]["rules"][0]["clauses"]
    assert (clause["match"], clause["value"]) == (match, True)


def test_a_whole_number_with_a_dot_is_a_whole_number() -> None:
    priority = data(compile_policy("[{priority: 5.0, verdict: deny}]"))["policies"]["policy"]["rules"][0][
        "priority"
    ]
    assert (priority, type(priority)) == (5, int)


def test_the_settings_of_a_bundle() -> None:
    files = {
        "bundle.yaml": """\
bundle: payments
default_policy: a
bindings:
  - {agents: ["crm-*", x], policy: b}
server: {url: "https://policy.example.com"}
network:
  allowlist:
    - {domain: policy.example.com, transform: {Authorization: "Bearer ${TOKEN}"}}
    - {domain: "*.example.org"}
hooks:
  zeta:
    enabled: false
    pre_tool_execution:
      - {matcher: code_execution, handler: server, timeout: 10}
  alpha:
    post_tool_execution:
      - {handler: {type: command, command: ./audit.py}}
      - {handler: {type: http, url: "https://a.example.org/x", headers: {X-Source: agent}}}
""",
        "policies/a.yaml": "[]",
        "policies/b.yaml": "[]",
    }
    found = data(compile_bundle(files))
    assert found["bundle"] == "payments"
    assert found["default_policy"] == "a"
    assert found["bindings"] == [{"agents": ["crm-*", "x"], "policy": "b"}]
    assert found["server"] == {"url": "https://policy.example.com"}
    assert found["network"] == {
        "allowlist": [
            {"domain": "policy.example.com", "transform": {"Authorization": "Bearer ${TOKEN}"}},
            {"domain": "*.example.org"},
        ]
    }
    assert found["hooks"] == [
        {
            "name": "zeta",
            "enabled": False,
            "pre_tool_execution": [{"matcher": "code_execution", "handler": "server", "timeout": 10}],
            "post_tool_execution": [],
        },
        {
            "name": "alpha",
            "pre_tool_execution": [],
            "post_tool_execution": [
                {"matcher": None, "handler": {"type": "command", "command": "./audit.py"}, "timeout": 30},
                {
                    "matcher": None,
                    "handler": {
                        "type": "http",
                        "url": "https://a.example.org/x",
                        "headers": {"X-Source": "agent"},
                    },
                    "timeout": 30,
                },
            ],
        },
    ]


def test_the_only_policy_is_the_default_one() -> None:
    found = data(compile_bundle({"bundle.yaml": "bundle: x", "policies/a/b.yml": "policy: my-agent"}))
    assert found["default_policy"] == "my-agent"
    assert list(found["policies"]) == ["my-agent"]


def test_values_are_filled_in() -> None:
    files = {
        "bundle.yaml": "bundle: x",
        "values.yaml": "prod_hosts: [db1, db2]\nlimit: 10",
        "policies/a.yaml": """\
- priority: 1
  verdict: deny
  args_match:
    clauses:
      - {path: $.host, op: in, value: {from: prod_hosts}}
      - {path: $.n, op: gt, value: {from: limit}}
""",
    }
    clauses = data(compile_bundle(files))["policies"]["a"]["rules"][0]["clauses"]
    assert [clause["value"] for clause in clauses] == [["db1", "db2"], 10]


def test_patterns_are_written_out_wherever_they_stand() -> None:
    files = {
        "bundle.yaml": "bundle: x",
        "values.yaml": "word: '(?i)é'\ncode: '\\p{Ogham}'",
        "policies/a.yaml": """\
- priority: 1
  verdict: sanitize
  sanitize: {custom: ['(?i)é']}
  args_match:
    clauses:
      - {path: $.a, op: regex, value: '(?i)é'}
      - {path: $.a, op: regex, value: {from: word}}
      - {path: $.c, op: shell, value: {program: ['(?i)é'], code: ['(?i)é', rm]}}
      - {path: $.c, op: shell, value: {code: {from: code}}}
""",
    }
    rule = data(compile_bundle(files))["policies"]["a"]["rules"][0]
    written = r"(?i)(?-i:[\x{c9}\x{e9}])"
    assert rule["sanitize"] == {"custom": [written]}
    assert [clause["value"] for clause in rule["clauses"]] == [
        written,
        written,
        {"program": ["(?i)é"], "code": [written, "rm"]},
        {"code": r"(?-i:[\x{1680}-\x{169c}])"},
    ]


@pytest.mark.parametrize("pattern", [r"a\C", "(?:[a-f]{900}){1}" * 60])
def test_a_pattern_that_only_re2_takes_is_refused(pattern: str) -> None:
    clause = json.dumps({"path": "$.a", "op": "regex", "value": pattern})
    text = f"[{{priority: 1, verdict: deny, args_match: {{clauses: [{clause}]}}}}]"
    assert [found.code for found in compile_policy(text).diagnostics] == ["bad_regex"]


def test_a_warning_does_not_stop_the_build() -> None:
    compilation = compile_policy("[{priority: 1, stage: hook, tool_name_glob: crm.*, verdict: deny}]")
    assert [found.severity for found in compilation.diagnostics] == ["warning"]
    assert compilation.data is not None


def test_a_bundle_file_alone_is_no_policy() -> None:
    compilation = compile_policy("bundle: x\nhooks: {}", "bundle.yaml")
    assert compilation.data is None
    assert [found.hint for found in compilation.diagnostics] == [
        "this looks like a bundle.yaml: name its folder, not the file",
        "it belongs into bundle.yaml",
    ]


def test_a_wrong_place_in_bundle_yaml_hides_no_other() -> None:
    files = {
        "bundle.yaml": """\
bundle: x
server: 5
bindings: [{agents: [a], policy: nobody}, 7]
network: {allowlist: [{domain: "http://a.example.com"}]}
hooks:
  one: []
  two:
    pre_tool_execution: [5, {handler: server, matcher: "*_file"}]
    post_tool_execution: 5
""",
        "policies/a.yaml": "[]",
    }
    assert [(found.code, found.json_path) for found in compile_bundle(files).diagnostics] == [
        ("wrong_type", "$.server"),
        ("unknown_policy", "$.bindings[0].policy"),
        ("wrong_type", "$.bindings[1]"),
        ("bad_domain", "$.network.allowlist[0].domain"),
        ("wrong_type", "$.hooks.one"),
        ("wrong_type", "$.hooks.two.pre_tool_execution[0]"),
        ("bad_matcher", "$.hooks.two.pre_tool_execution[1].matcher"),
        ("wrong_type", "$.hooks.two.post_tool_execution"),
    ]


def test_what_depends_on_a_broken_file_is_not_reported() -> None:
    files = {
        "bundle.yaml": "bundle: x\ndefault_policy: b\nbindings: [{agents: [a], policy: c}]",
        "values.yaml": "a: [",
        "policies/a.yaml": "{include: [b], rules: [{priority: 1, verdict: deny, args_match: {clauses: "
        "[{path: $.a, op: eq, value: {from: limit}}]}}]}",
        "policies/b.yaml": "rules: [",
    }
    found = compile_bundle(files).diagnostics
    assert [(diagnostic.code, diagnostic.path) for diagnostic in found] == [
        ("syntax_error", "policies/b.yaml"),
        ("syntax_error", "values.yaml"),
    ]


@pytest.mark.parametrize("name", ["a-b", "A", "1a", "_a", "a\n", "a" * 129, "é", ""])
def test_a_bundle_name_is_one_that_an_artifact_takes(name: str) -> None:
    files = {"bundle.yaml": json.dumps({"bundle": name}), "policies/a.yaml": "[]"}
    [found] = compile_bundle(files).diagnostics
    assert (found.code, found.json_path) == ("bad_name", "$.bundle")


@pytest.mark.parametrize("name", ["a b", "1a", "-a", "a\n", "a" * 129, "é"])
def test_a_policy_name_is_plain(name: str) -> None:
    [found] = compile_policy(json.dumps({"policy": name})).diagnostics
    assert (found.code, found.json_path) == ("bad_name", "$.policy")


def test_budgets_and_their_kin_are_written_out(tmp_path: Path) -> None:
    files = {
        "bundle.yaml": b"bundle: x\nmask: [$.password, '$..token']\n",
        "policies/p.yaml": b"""\
- {priority: 1, verdict: cap_cost, cap_cost_cents: 500}
- {priority: 2, verdict: deny, skill_name_glob: 'a.*', shadow: true, rate: {max: 10.0, window_seconds: 60}}
- {priority: 3, verdict: pending_approval, approval: {ttl: 600, approvers: [alice]}}
- priority: 4
  verdict: deny
  enforce: true
  sequence: {window_seconds: 600, steps: [{match: 'crm.*', min_count: 3}, {match: '*', egress: true}]}
""",
    }
    data = compile_files(files, tmp_path).data
    assert data is not None
    assert data["mask"] == [[["field", "password"]], [["descent"], ["field", "token"]]]
    cap, rate, hold, sequence = data["policies"]["p"]["rules"]
    assert (cap["stages"], cap["cap_cost_cents"]) == (["inbound", "mcp", "hook"], 500)
    assert (rate["skills"], rate["shadow"]) == (["a.*"], True)
    assert rate["rate"] == {"max": 10, "window_seconds": 60, "per": "agent"}
    assert hold["approval"] == {"ttl": 600, "approvers": ["alice"]}
    assert sequence["enforce"] is True
    assert sequence["sequence"]["steps"] == [
        {"match": "crm.*", "min_count": 3, "egress": False},
        {"match": "*", "min_count": 1, "egress": True},
    ]
    Plan.load(json.loads(json.dumps(data)))


def test_meta_tools_are_lowered_to_steps() -> None:
    files = {
        "bundle.yaml": """\
bundle: t
meta_tools:
  - {tool: run_tool, name: $.name, arguments: $.arguments}
  - {tool: [box.run, "*.batch"], each: "$.calls[*]", name: $.tool, arguments: $.args, prefix: box.}
""",
        "policies/p.yaml": "rules: []\n",
    }
    assert data(compile_bundle(files))["meta_tools"] == [
        {
            "tools": ["run_tool"],
            "name": [["field", "name"]],
            "arguments": [["field", "arguments"]],
            "prefix": "",
        },
        {
            "tools": ["box.run", "*.batch"],
            "each": [["field", "calls"], ["wildcard"]],
            "name": [["field", "tool"]],
            "arguments": [["field", "args"]],
            "prefix": "box.",
        },
    ]
