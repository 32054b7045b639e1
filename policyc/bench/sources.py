"""A bundle on disk as teams write them: policy files, each for some agents, with all kinds of clauses.

The first policy also has the rule that editions differ in: the verdict on the probe tells which one decided.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from policyc.bench import catalogue

PROBE_TOOL = "bench.probe"
_VERDICTS = ("audit", "deny")

#: One clause a line; ``{n}`` makes each rule's own.
_CLAUSES = (
    "{{path: $.command, op: regex, value: '{pattern}'}}",
    "{{path: $.amount_cents, op: gt, value: {n}00}}",
    "{{path: $.url, op: starts_with, value: 'https://h{n}.example.com/'}}",
    "{{path: '$.to[*].address', op: ends_with, value: '@t{n}.example.com'}}",
    "{{path: $.environment, op: in, value: [production, staging-{n}]}}",
    "{{path: $.host, op: cidr_match, value: 10.{byte}.0.0/16}}",
    "{{path: $.dry_run, op: eq, value: true, not: true, on_missing: match}}",
)


def verdict_of(edition: int) -> str:
    """The verdict on the probe in ``edition``: never the same in two that follow each other."""
    return _VERDICTS[edition % 2]


def probe(number: int = 0) -> dict[str, Any]:
    """A call that the editions decide differently; another one for each ``number``."""
    return {"tool": PROBE_TOOL, "agent": "agent-0-probe", "args": {"command": f"uptime {number}"}}


def other_calls(files: int, rules: int, count: int) -> list[dict[str, Any]]:
    """Calls of ``count`` tools by agents of all policies; no rule matches them, so they are allowed."""
    names = catalogue.tool_names(files * rules, count)
    return [
        {
            "tool": name,
            "agent": f"agent-{number % files}-x",
            "args": {"command": catalogue.harmless_command(number), "amount_cents": 7, "dry_run": True},
        }
        for number, name in enumerate(names)
    ]


def write_bundle(folder: Path, *, files: int, rules: int, edition: int = 0) -> None:
    """Writes ``edition`` to a new folder: ``files`` policies of ``rules`` rules each."""
    (folder / "policies").mkdir(parents=True)
    bindings = "".join(f"  - {{agents: [agent-{n}-*], policy: policy-{n}}}\n" for n in range(files))
    head = f"bundle: {folder.name}\ndefault_policy: policy-0\n"
    (folder / "bundle.yaml").write_text(f"{head}bindings:\n{bindings}", "utf-8")
    globs = catalogue.globs(files * rules)
    for number in range(1, files):
        texts = _rules(number * rules, list(islice(globs, rules)))
        policy_path(folder, number).write_text(_policy(number, texts), "utf-8")
    policy_path(folder, 0).write_text(first_policy(edition, rules=rules), "utf-8")


def policy_path(folder: Path, number: int) -> Path:
    """The file of policy ``number``."""
    return folder / "policies" / f"policy-{number}.yaml"


def first_policy(edition: int, *, rules: int) -> str:
    """The text of policy 0, the one file in which editions differ."""
    probing = (
        f"  - label: probe\n    priority: 0\n    tool_name_glob: {PROBE_TOOL}\n"
        f"    verdict: {verdict_of(edition)}\n    reason: Edition {edition} says so.\n"
    )
    return _policy(0, [probing, *_rules(0, list(catalogue.globs(rules))[1:])])


def _policy(number: int, rules: list[str]) -> str:
    head = f"policy: policy-{number}\ndescription: What agents of group {number} may do.\n"
    return f"{head}default_verdict: allow\nrules:\n{''.join(rules)}"


def _rules(first: int, globs: list[list[str]]) -> list[str]:
    return [_rule(number, found) for number, found in enumerate(globs, first)]


def _rule(number: int, globs: list[str]) -> str:
    clause = _CLAUSES[number % len(_CLAUSES)].format(
        n=number, byte=number % 256, pattern=catalogue.pattern(number)
    )
    return (
        f"  - label: rule {number}\n    priority: {number + 1}\n    tool_name_glob: {json.dumps(globs)}\n"
        f"    args_match:\n      clauses:\n        - {clause}\n"
        f"    verdict: {('deny', 'audit', 'pending_approval')[number % 3]}\n"
        f"    reason: Rule {number} of the bench says so.\n    risk_factors: [bench]\n"
    )
