"""The rule keys ``sanitize``, ``egress``, ``shadow`` and ``approval``: what each needs beside it, and what
the engine takes."""

from __future__ import annotations

from typing import Any

from policyc.compiler.clause_values import CHECKS
from policyc.compiler.patterns import pattern_problem, written_if_sound
from policyc.engine import egress
from policyc.engine.model import PERMITTING
from policyc.source.diagnostics import JsonPath
from policyc.source.findings import Findings
from policyc.source.nodes import Document

#: Stages that cannot carry rewritten arguments: `sanitize` denies there.
_NOTHING_TO_REWRITE = {"inbound", "egress"}


def lower_sanitize(
    rule: dict[str, Any], stages: list[str] | None, at: JsonPath, document: Document, findings: Findings
) -> dict[str, list[str]] | None:
    """``sanitize`` of a rule of the right shape, or None where it has none. Reports what is wrong."""
    wanted = rule["verdict"] == "sanitize"
    if wanted and stages is not None and _NOTHING_TO_REWRITE.issuperset(stages):
        message = f"`sanitize` denies here: on {_listed(stages)} no arguments are passed on"
        hint = "write `verdict: deny`, or add a stage that carries arguments, such as `mcp`"
        where = (*at, "verdict")
        findings.add("sanitize_denies", document.place_of(where), where, message, hint)
    if "sanitize" not in rule:
        if wanted:
            hint = "say what is redacted, such as `sanitize: {presets: [email]}`"
            where = (*at, "verdict")
            message = "the verdict `sanitize` needs the key `sanitize`"
            findings.add("sanitize_alone", document.place_of(where), where, message, hint)
        return None
    where = (*at, "sanitize")
    if not wanted:
        message = f"with the verdict `{rule['verdict']}` nothing is redacted"
        place = document.place_of(where, key=True)
        findings.add("sanitize_alone", place, where, message, "write `verdict: sanitize`, or remove the key")
    config = {key: list(entries) for key, entries in rule["sanitize"].items()}
    _check_sanitize(config, where, document, findings)
    if "custom" in config:
        config["custom"] = [written_if_sound(pattern) for pattern in config["custom"]]
    return config


def _check_sanitize(
    config: dict[str, list[str]], at: JsonPath, document: Document, findings: Findings
) -> None:
    if not any(config.values()):
        hint = "name presets, such as `presets: [email]`, or patterns under `custom`"
        findings.add("empty_sanitize", document.place_of(at), at, "`sanitize` redacts nothing", hint)
    for number, pattern in enumerate(config.get("custom", ())):
        problem = pattern_problem(pattern)
        if problem is not None:
            where = (*at, "custom", number)
            message = f"the pattern cannot be used: {problem}"
            hint = "the syntax is RE2's: github.com/google/re2/wiki/Syntax"
            findings.add("bad_regex", document.place_of(where), where, message, hint)


def lower_egress(
    rule: dict[str, Any], stages: list[str] | None, at: JsonPath, document: Document, findings: Findings
) -> dict[str, list[str]] | None:
    """``egress`` of a rule of the right shape, or None where it has none. Reports what is wrong."""
    if "egress" not in rule:
        return None
    where = (*at, "egress")
    if stages != ["egress"]:
        message = "`egress` is about destinations, which only the stage `egress` has"
        hint = "write `stage: egress`; a rule for other stages stands on its own"
        findings.add("egress_stage", document.place_of(where, key=True), where, message, hint)
    config = {key: list(entries) for key, entries in rule["egress"].items()}
    sound = [_sound(entries, (*where, key), document, findings) for key, entries in config.items()]
    if all(sound) and egress.check(config, rule["verdict"]) is not None:
        scope = "allow" if rule["verdict"] in PERMITTING else "deny"
        message = f"with the verdict `{rule['verdict']}` the rule is about the destinations in `{scope}`"
        hint = f'write `{scope}: ["*"]` for all of them'
        findings.add("egress_scope", document.place_of(where), where, message, hint)
    return config


def check_shadow(rule: dict[str, Any], at: JsonPath, document: Document, findings: Findings) -> bool:
    """Whether the rule is in shadow. Reports where there would be nothing to record."""
    is_on = rule.get("shadow", False)
    if is_on and rule["verdict"] == "allow":
        where = (*at, "shadow")
        message = "a rule that allows stops nothing, so there is nothing to try out"
        hint = "remove `shadow`; to see which calls it is about, write `verdict: audit`"
        findings.add("shadow_allows", document.place_of(where, key=True), where, message, hint)
    return bool(is_on)


def lower_approval(
    rule: dict[str, Any], at: JsonPath, document: Document, findings: Findings
) -> dict[str, Any]:
    """``approval`` of a rule of the right shape, as a part of its data. Reports what is wrong."""
    if "approval" not in rule:
        return {}
    where = (*at, "approval")
    if rule["verdict"] != "pending_approval":
        message = f"with the verdict `{rule['verdict']}` nobody is asked"
        hint = "write `verdict: pending_approval`, or remove the key"
        findings.add("approval_alone", document.place_of(where, key=True), where, message, hint)
    given = rule["approval"]
    approvers = {"approvers": list(given["approvers"])} if "approvers" in given else {}
    return {"approval": ({"ttl": int(given["ttl"])} if "ttl" in given else {}) | approvers}


def _sound(entries: list[str], at: JsonPath, document: Document, findings: Findings) -> bool:
    remarks = list(CHECKS["host"]("host", entries))
    for remark in remarks:
        where = (*at, *remark.below)
        findings.add(remark.code, document.place_of(where), where, remark.message, remark.hint)
    return all(remark.code != "bad_host" for remark in remarks)


def _listed(stages: list[str]) -> str:
    return " and ".join(f"`{stage}`" for stage in dict.fromkeys(stages))
