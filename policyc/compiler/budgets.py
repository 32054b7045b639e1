"""The rule keys of budgets: ``cap_cost_cents``, ``rate``, ``sequence`` and ``enforce``."""

from __future__ import annotations

from typing import Any

from policyc.engine.budgets import MOST_STEPS, UNCAPPED
from policyc.engine.model import STAGES
from policyc.source.diagnostics import JsonPath
from policyc.source.findings import Findings
from policyc.source.nodes import Document

#: Where a cap acts: what a rule with ``cap_cost`` and no ``stage`` is for.
CAPPED_STAGES = tuple(stage for stage in STAGES if stage not in UNCAPPED)
_BUDGETS = ("cap_cost_cents", "rate", "sequence")


def lower_budget(
    rule: dict[str, Any], stages: list[str] | None, at: JsonPath, document: Document, findings: Findings
) -> dict[str, Any]:
    """The budget of a rule of the right shape, as a part of its data. Reports what is wrong."""
    report = _Report(at, document, findings)
    _check_cap(rule, stages, report)
    _check_together(rule, report)
    data: dict[str, Any] = {}
    if "cap_cost_cents" in rule:
        data["cap_cost_cents"] = int(rule["cap_cost_cents"])
    if "rate" in rule:
        given = rule["rate"]
        data["rate"] = {
            "max": int(given["max"]),
            "window_seconds": int(given["window_seconds"]),
            "per": given.get("per", "agent"),
        }
    if "sequence" in rule:
        data["sequence"] = _sequence(rule["sequence"], stages, report)
    return data | ({"enforce": True} if rule.get("enforce") else {})


class _Report:
    """Adds findings about keys of one rule."""

    def __init__(self, at: JsonPath, document: Document, findings: Findings) -> None:
        self._at = at
        self._document = document
        self._findings = findings

    def add(self, code: str, below: JsonPath, message: str, hint: str, *, on_key: bool = True) -> None:
        where = (*self._at, *below)
        self._findings.add(code, self._document.place_of(where, key=on_key), where, message, hint)


def _check_cap(rule: dict[str, Any], stages: list[str] | None, report: _Report) -> None:
    wanted = rule["verdict"] == "cap_cost"
    if wanted and "cap_cost_cents" not in rule:
        hint = "say what a run may spend, such as `cap_cost_cents: 500`"
        message = "the verdict `cap_cost` needs the key `cap_cost_cents`"
        report.add("cap_cost_alone", ("verdict",), message, hint, on_key=False)
    if not wanted and "cap_cost_cents" in rule:
        message = f"with the verdict `{rule['verdict']}` nothing is capped"
        report.add(
            "cap_cost_alone", ("cap_cost_cents",), message, "write `verdict: cap_cost`, or remove the key"
        )
    refused = [stage for stage in stages or () if stage in UNCAPPED]
    if wanted and refused:
        message = (
            f"`cap_cost` does not act on {' and '.join(f'`{stage}`' for stage in dict.fromkeys(refused))}"
        )
        hint = (
            f"there are {', '.join(f'`{stage}`' for stage in CAPPED_STAGES)}; without `stage` it acts on them"
        )
        report.add("cap_cost_stage", ("stage",), message, hint)


def _check_together(rule: dict[str, Any], report: _Report) -> None:
    found = [key for key in _BUDGETS if key in rule]
    if len(found) > 1:
        message = f"a rule has one budget, not {' and '.join(f'`{key}`' for key in found)}"
        report.add("several_budgets", (found[1],), message, "write a rule for each")
    if found and rule["verdict"] == "allow":
        message = f"`{found[0]}` with `allow` would let calls pass because there were many"
        hint = "write the verdict for calls beyond it, such as `deny`"
        report.add("budget_allows", (found[0],), message, hint)
    if rule.get("enforce") and ("sequence" not in rule or rule["verdict"] == "audit"):
        message = "`enforce` lets a `sequence` act on the call that completes it"
        hint = "remove it, or give the rule a `sequence` and a verdict such as `deny`"
        report.add("enforce_alone", ("enforce",), message, hint)


def _sequence(given: dict[str, Any], stages: list[str] | None, report: _Report) -> dict[str, Any]:
    steps = [
        {
            "match": step["match"],
            "min_count": int(step.get("min_count", 1)),
            "egress": step.get("egress", False),
        }
        for step in given["steps"]
    ]
    asked = sum(step["min_count"] for step in steps)
    if asked > MOST_STEPS:
        message = f"the steps ask for {asked} calls; {MOST_STEPS} are the most"
        report.add("out_of_range", ("sequence", "steps"), message, "ask for fewer calls", on_key=False)
    for number, step in enumerate(steps):
        if step["egress"] and stages is not None and "egress" not in stages:
            message = "the step is at the stage `egress`, and the rule's `stage` leaves that out"
            hint = "add `egress` to `stage`: a sequence sees no other stages than the rule's"
            report.add("sequence_stage", ("sequence", "steps", number, "egress"), message, hint)
    return {"window_seconds": int(given["window_seconds"]), "steps": steps}
