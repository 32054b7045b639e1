"""One policy file: read, checked and lowered as far as that needs no other file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from policyc.compiler.reach import HookWarning, hook_warning
from policyc.compiler.rules import LoweredRule, default_label, lower_rule
from policyc.source.diagnostics import Diagnostic, JsonPath, Place
from policyc.source.findings import Findings
from policyc.source.names import policy_name
from policyc.source.nodes import Document, MappingNode
from policyc.source.read import read_document
from policyc.source.schema import shape


@dataclass(frozen=True, slots=True)
class Mention:
    """The name of another policy, and where it is written."""

    name: str
    place: Place
    at: JsonPath


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy as one file says it. ``name`` is None when the file cannot be read that far."""

    path: str
    name: str | None
    name_place: Place
    name_at: JsonPath
    line: int
    description: str | None
    default_verdict: str | None
    shadow: bool | None
    extends: Mention | None
    include: tuple[Mention, ...]
    rules: tuple[LoweredRule, ...]
    hook_warnings: tuple[HookWarning, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_policy_file(path: str, data: bytes) -> PolicyFile:
    """The policy in ``data``. Never raises; what is wrong is in its diagnostics."""
    document, findings = read_document(path, data)
    if document is None:
        return _nothing(path, findings)
    if isinstance(document.root, list):
        root: Any = {"rules": document.root}
        return _policy(root, (), document, findings)
    if _is_lone_rule(document.root):
        hint = "put `- ` before it, or `[` and `]` around it in JSON"
        findings.add(
            "rule_not_in_list", document.place, (), "this is one rule; a policy is a list of rules", hint
        )
        return _nothing(path, findings)
    shape("policy", "policy").report(_without_rules(document.root), document, (), findings)
    if not isinstance(document.root, dict):
        return _nothing(path, findings)
    return _policy(document.root, ("rules",), document, findings)


def _is_lone_rule(root: Any) -> bool:
    return (
        isinstance(root, dict)
        and "verdict" in root
        and "rules" not in root
        and ("priority" in root or "tool_name_glob" in root)
    )


def _without_rules(root: Any) -> Any:
    """The mapping with no rules: they are checked one by one, under their own schema."""
    if isinstance(root, MappingNode) and isinstance(root.get("rules"), list):
        return {**root, "rules": []}
    return root


def _policy(root: dict[str, Any], rules_at: JsonPath, document: Document, findings: Findings) -> PolicyFile:
    name = root.get("policy")
    if not isinstance(name, str) or not shape("policy", "name").accepts(name):
        name = policy_name(PurePosixPath(findings.path).stem)
    rules, warnings = _rules(root.get("rules"), rules_at, name, document, findings)
    _check_labels(root.get("rules"), rules_at, name, document, findings)
    return PolicyFile(
        path=findings.path,
        name=name,
        name_place=document.place_of(("policy",)),
        name_at=("policy",) if "policy" in root else (),
        line=document.place[0],
        description=_text(root.get("description")),
        default_verdict=_text(root.get("default_verdict")),
        shadow=root.get("shadow") if isinstance(root.get("shadow"), bool) else None,
        extends=_mention(root.get("extends"), ("extends",), document),
        include=_mentions(root.get("include"), document),
        rules=rules,
        hook_warnings=warnings,
        diagnostics=findings.diagnostics,
    )


def _rules(
    rules: Any, at: JsonPath, name: str, document: Document, findings: Findings
) -> tuple[tuple[LoweredRule, ...], tuple[HookWarning, ...]]:
    lowered: list[LoweredRule] = []
    warnings: list[HookWarning] = []
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        rule_at = (*at, number)
        found = lower_rule(rule, number, rule_at, name, document, findings)
        if found is not None:
            lowered.append(found)
            warning = hook_warning(found.data, findings.path, *_globs_place(rule, rule_at, document))
            if warning is not None:
                warnings.append(warning)
        if findings.full:
            break
    return tuple(lowered), tuple(warnings)


def _check_labels(rules: Any, at: JsonPath, policy: str, document: Document, findings: Findings) -> None:
    """Two rules of one label, also where one of them has other problems."""
    first: dict[str, Place] = {}
    for number, rule in enumerate(_list(rules)):
        label = rule.get("label", default_label(policy, number)) if isinstance(rule, dict) else None
        if not isinstance(label, str):
            continue
        label_at = (*at, number, "label") if "label" in rule else (*at, number)
        place = document.place_of(label_at)
        other = first.setdefault(label, place)
        if other is not place:
            message = f"the label `{label}` is already that of the rule on line {other[0]}"
            findings.add("duplicate_label", place, label_at, message, "give each rule its own label")


def _globs_place(rule: dict[str, Any], at: JsonPath, document: Document) -> tuple[Place, JsonPath]:
    globs_at = (*at, "tool_name_glob") if "tool_name_glob" in rule else at
    return document.place_of(globs_at), globs_at


def _mentions(names: Any, document: Document) -> tuple[Mention, ...]:
    found = [_mention(name, ("include", number), document) for number, name in enumerate(_list(names))]
    return tuple(mention for mention in found if mention is not None)


def _mention(name: Any, at: JsonPath, document: Document) -> Mention | None:
    return Mention(name, document.place_of(at), at) if isinstance(name, str) and name else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _nothing(path: str, findings: Findings) -> PolicyFile:
    start = (1, 1)
    return PolicyFile(path, None, start, (), 1, None, None, None, None, (), (), (), findings.diagnostics)
