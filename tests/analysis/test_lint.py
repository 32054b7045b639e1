"""Each finding of lint on its own examples, held against tools, and silenced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from policyc.analysis.lint import Linted, lint
from policyc.analysis.lint.catalogue import CATALOGUE, page
from policyc.analysis.lint.tool_list import ToolListError, read_tool_list
from policyc.building import compile_path
from policyc.engine.plan import Plan

TOOLS = {
    "result": {
        "tools": [
            {
                "name": "create_invoice",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "amount": {"type": "integer"},
                        "customer": {"type": "object", "properties": {"name": {"type": "string"}}},
                        "tags": {"type": "array", "items": {"type": "string"}},
                        "free": {},
                    },
                },
            },
            {"name": "ping"},
        ]
    }
}
RULE = """\
default_verdict: audit
rules:
  - label: one
    priority: 5
    tool_name_glob: {glob}
    args_match:
      clauses:
        - {{path: "{path}", op: {op}, value: {value}, on_missing: match}}
    verdict: allow
"""


def linted(folder: Path, text: str, tools: object = None) -> Linted:
    path = folder / "policy.yaml"
    path.write_text(text)
    built = compile_path(path)
    known = None if tools is None else read_tool_list(tools)
    return lint(Plan.load(built.data), built.sources, known)


def codes(found: Linted) -> set[str]:
    return {finding.code for finding in found.findings}


@pytest.mark.parametrize("code", [code for code, entry in CATALOGUE.items() if entry.bad])
def test_the_bad_example_has_the_finding_and_the_good_one_is_clean(code, tmp_path):
    assert code in codes(linted(tmp_path, CATALOGUE[code].bad))
    assert code not in codes(linted(tmp_path, CATALOGUE[code].good))


def test_who_shadows_a_rule_is_named_with_its_line(tmp_path):
    (finding,) = linted(tmp_path, CATALOGUE["unreachable_rule"].bad).findings
    assert finding.line == 4
    assert "shadowed by 'all of crm' (policy.yaml:3)" in finding.message


def test_two_rules_shadow_a_third_together(tmp_path):
    text = """\
default_verdict: deny
rules:
  - {priority: 1, label: low, args_match: {clauses: [{path: $.n, op: lt, value: 5}]}, verdict: allow}
  - {priority: 2, label: high, args_match: {clauses: [{path: $.n, op: gte, value: 5}]}, verdict: allow}
  - {priority: 3, label: numbers, args_match: {clauses: [{path: $.n, op: gt, value: 0}]}, verdict: audit}
"""
    (finding,) = linted(tmp_path, text).findings
    assert (finding.code, finding.line) == ("unreachable_rule", 5)
    assert "'low' (policy.yaml:3), 'high' (policy.yaml:4)" in finding.message
    assert not linted(tmp_path, text.replace("gte", "gt")).findings


def test_a_call_that_passes_is_shown(tmp_path):
    (finding,) = [
        it for it in linted(tmp_path, CATALOGUE["fails_open"].bad).findings if it.code == "fails_open"
    ]
    assert finding.message.endswith('is missing: {"tool": "payment.", "args": {}}')


@pytest.mark.parametrize(
    ("glob", "path", "op", "value", "expected"),
    [
        ("create_invoise", "$.amount", "gt", 1, ("unknown_tool", "did you mean `create_invoice`?")),
        ("create_*", "$.amont", "gt", 1, ("unknown_argument", "did you mean `$.amount`?")),
        (
            "create_*",
            "$.customer.nam",
            "eq",
            "x",
            ("unknown_argument", "did you mean `$.customer.name`?"),
        ),
        ("create_*", "$.amount", "contains", "x", ("argument_type", None)),
        ("create_*", "$.tags[0]", "gt", 1, ("argument_type", None)),
        ("mcp.billing.create_invoice", "$.amount", "gt", 1, None),
        ("create_*", "$.free.any", "gt", 1, None),
        ("create_*", "$.tags[0]", "contains", "x", None),
        ("shell.exec", "$.command", "contains", "x", None),
        ("ping", "$.any", "eq", 1, None),
    ],
)
def test_rules_against_a_list_of_tools(glob, path, op, value, expected, tmp_path):
    found = linted(tmp_path, RULE.format(glob=glob, path=path, op=op, value=value), TOOLS).findings
    assert [(it.code, it.hint) for it in found] == ([expected] if expected else [])


def test_what_is_no_list_of_tools_is_refused():
    for document in (None, {}, {"tools": {}}, [{"title": "x"}]):
        with pytest.raises(ToolListError):
            read_tool_list(document)


def test_a_comment_silences_its_own_rule_alone(tmp_path):
    text = CATALOGUE["unreachable_rule"].bad
    mark = "  # policyc: ignore[unreachable_rule] kept for the audit\n"
    lines = text.splitlines(keepends=True)
    silenced = linted(tmp_path, "".join([*lines[:3], mark, *lines[3:]]))
    assert (codes(silenced), [it.code for it in silenced.silenced]) == (set(), ["unreachable_rule"])
    elsewhere = linted(tmp_path, "".join([*lines[:2], mark, *lines[2:]]))
    assert codes(elsewhere) == {"unreachable_rule", "unused_ignore"}


def test_a_rule_that_one_of_two_policies_reaches_is_reachable(tmp_path):
    (tmp_path / "policies").mkdir()
    (tmp_path / "bundle.yaml").write_text("bundle: two\ndefault_policy: all\n")
    part = "rules:\n  - {priority: 5, label: reads, tool_name_glob: crm.get*, verdict: allow}\n"
    (tmp_path / "policies/part.yaml").write_text(f"default_verdict: deny\n{part}")
    (tmp_path / "policies/all.yaml").write_text(
        "default_verdict: deny\ninclude: [part]\nrules:\n"
        "  - {priority: 1, label: crm, tool_name_glob: crm.*, verdict: audit}\n"
    )
    built = compile_path(tmp_path)
    assert not lint(Plan.load(built.data), built.sources).findings


def test_the_page_is_the_catalogues():
    text = (Path(__file__).parents[2] / "docs/lint.md").read_text("utf-8")
    assert text == page()
    printed = subprocess.run([sys.executable, "-m", "policyc.analysis.lint"], capture_output=True, check=True)
    assert printed.stdout.decode() == text


def test_a_rule_in_shadow_takes_no_calls_from_those_after_it(tmp_path):
    found = linted(
        tmp_path,
        """\
default_verdict: deny
rules:
  - {priority: 1, label: trial, tool_name_glob: crm.*, verdict: deny, shadow: true}
  - {priority: 2, label: all, tool_name_glob: crm.*, verdict: audit}
  - {priority: 3, label: late, tool_name_glob: crm.x, verdict: deny}
""",
    )
    (finding,) = found.findings
    assert (finding.code, finding.line) == ("allow_hides_deny", 5)
    assert "'all'" in finding.message
    assert "'trial'" not in finding.message


def test_a_host_with_bare_dots_is_named_as_a_whole(tmp_path):
    text = RULE.format(glob="http.get", path="$.address", op="regex", value="'^https://api.example.com/.*$'")
    (finding,) = linted(tmp_path, text).findings
    assert finding.code == "unescaped_dot"
    assert "'api.example.com'" in finding.message
