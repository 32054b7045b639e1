"""Whatever is in the files, compiling says what is wrong and never raises."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policyc.compiler import Compilation, compile_tree
from policyc.engine.plan import Plan
from policyc.source.render import render_text
from policyc.source.tree import SourceTree

POLICY = """\
policy: agent
description: d
default_verdict: deny
extends: base
include: [shared, tight]
rules:
  - priority: 5
    label: cap
    stage: [mcp, hook]
    tool_name_glob: ["payment.*", '*']
    args_match:
      clauses:
        - {path: $.amount, op: gt, value: 100000}
        - {path: "$.to[*]", op: in, value: {from: hosts}, not: true, on_missing: match, match: all}
        - {path: $.c, op: regex, value: 'rm\\s'}
        - {path: $.c, op: shell, value: {program: [rm, mkfs*], deletes: {from: globs}}, unknown: match}
        - {path: $.p, op: path, value: {from: globs}}
        - {path: $.u, op: host, value: ["*.example.com", 10.0.0.0/8], unknown: no_match}
    verdict: deny
    risk_factors: [money]
  - &second
    priority: 6
    verdict: pending_approval
  - {priority: 7, verdict: sanitize, sanitize: {presets: [email], custom: ['A-\\d+']}}
  - {priority: 7, verdict: cap_cost, cap_cost_cents: 500, stage: mcp, skill_name_glob: ['a.*', b]}
  - {priority: 7, verdict: deny, shadow: true, rate: {max: 1, window_seconds: 60, per: run}}
  - {priority: 7, verdict: pending_approval, approval: {ttl: 60, approvers: [a]}}
  - priority: 7
    verdict: deny
    enforce: true
    sequence: {window_seconds: 0, steps: [{match: a, min_count: 2}, {match: "*", egress: true}]}
  - {priority: 8, stage: egress, verdict: deny, egress: {deny: ["*"], allow: [api.example.com]}}
"""
BUNDLE = """\
bundle: x
default_policy: agent
bindings: [{agents: ["crm-*"], policy: base}]
mask: [$.a, "$..b"]
server: {url: "https://policy.example.com"}
network: {allowlist: [{domain: policy.example.com, transform: {Authorization: "Bearer ${TOKEN}"}}]}
hooks:
  gate:
    enabled: true
    pre_tool_execution: [{matcher: "*", handler: server, timeout: 10}]
    post_tool_execution: [{handler: {type: http, url: "https://policy.example.com", headers: {A: b}}}]
"""
VALUES = "hosts: [a, b]\nlimit: 5\nglobs: [~/.ssh/**, .env]\n"
FILES = {
    "bundle.yaml": BUNDLE,
    "values.yaml": VALUES,
    "policies/agent.yaml": POLICY,
    "policies/base.yaml": "default_verdict: allow\nrules: []\n",
    "policies/shared.json": json.dumps([{"priority": 1, "verdict": "audit", "tool_name_glob": "*"}]),
}
PRESETS = {"tight": SourceTree({"policies/tight.yaml": b"- {priority: 2, verdict: deny}\n"}, "tight")}

FRAGMENTS = [
    *[
        "- ",
        "? ",
        ": ",
        "  ",
        "\n",
        "\t",
        "{",
        "}",
        "[",
        "]",
        ",",
        "'",
        '"',
        "|",
        ">",
        "&a ",
        "*a",
        "!!str ",
        "<<: ",
    ],
    *[
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "#",
        "\\",
        "\x00",
        "\ufeff",
        "\u2028",
        "\u202e",
        "é",
        "日本",
        "1e999",
        ".nan",
    ],
    *[
        "0x1F",
        "012",
        "NO",
        "null",
        "~",
        "rules:",
        "priority",
        "verdict: deny",
        "from:",
        "$..a[",
        "(?=",
        "10.0.0.0/99",
    ],
]
yamlish = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=30).map("".join)


def check(compilation: Compilation) -> None:
    render_text(compilation.diagnostics, compilation.sources)
    json.dumps([found.document() for found in compilation.diagnostics])
    if compilation.data is None:
        assert any(found.severity == "error" for found in compilation.diagnostics)
    else:
        Plan.load(json.loads(json.dumps(compilation.data)))


def compile_files(files: dict[str, bytes], *, single: bool = False) -> Compilation:
    compilation = compile_tree(SourceTree(files, "x", single=single), presets=PRESETS)
    check(compilation)
    return compilation


def test_the_start_of_the_mutations_is_valid() -> None:
    found = compile_files({path: text.encode() for path, text in FILES.items()})
    assert [(diagnostic.code, diagnostic.severity) for diagnostic in found.diagnostics] == []


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    compile_files({"a.yaml": data}, single=True)
    compile_files({"bundle.yaml": data, "values.yaml": data, "policies/a.json": data})


@given(yamlish)
def test_anything_that_looks_like_yaml(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    compile_files({"a.yaml": data}, single=True)
    compile_files({"bundle.yaml": data, "values.yaml": data, "policies/a.yaml": data})


_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(FRAGMENTS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abf", max_size=2), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_valid_bundle_with_another_value_anywhere(data: st.DataObject) -> None:
    """Every place of every file in turn, as JSON, takes any value."""
    path = data.draw(st.sampled_from(sorted(FILES)))
    document: Any = yaml.safe_load(FILES[path])
    places = list(_places(document, ()))
    place = data.draw(st.sampled_from(places))
    value = data.draw(_values)
    files = {name: text.encode() for name, text in FILES.items()}
    files[path] = json.dumps(_replaced(document, place, value)).encode()
    compile_files(files)


@given(st.data())
def test_a_valid_bundle_with_a_piece_of_text_exchanged(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(FILES)))
    text = FILES[path]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    files = {name: content.encode() for name, content in FILES.items()}
    files[path] = (text[:start] + data.draw(yamlish) + text[end:]).encode("utf-8", "surrogatepass")
    compile_files(files)


@given(st.permutations(sorted(FILES)))
def test_the_order_of_the_files_does_not_matter(order: list[str]) -> None:
    assert compile_files({path: FILES[path].encode() for path in order}) == compile_files(
        {path: FILES[path].encode() for path in sorted(FILES)}
    )


def _places(value: Any, at: tuple[Any, ...]) -> Any:
    yield at
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*at, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _places(item, (*at, number))


def _replaced(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    copy = value.copy()
    copy[at[0]] = _replaced(value[at[0]], at[1:], new)
    return copy
