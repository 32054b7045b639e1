"""What is said of a change, the same in every form of output. Texts of policies and calls are hostile: each
is written so that no terminal and no parser takes it for anything but text."""

from __future__ import annotations

import json
from typing import Any

from policyc.analysis.report import Report
from policyc.analysis.structure import Edit
from policyc.analysis.traffic import Decided, Flip
from policyc.engine.model import Outcome

#: Characters of one call or value that are shown.
_LONGEST = 1_000
#: Agents and tools named of a flip.
_NAMED = 5


def headline(report: Report) -> str:
    """``1 loosened, 2 tightened; proved that nothing else changes``."""
    ends = {
        "proved": "proved that nothing else changes",
        "unknown": "whether anything else changes is unknown",
    }
    counts = f"{report.loosened} loosened, {report.tightened} tightened"
    if not report.regions:
        counts = "no change of a verdict found" if report.unknown else "no verdict changes"
        ends["proved"] = "proved"
    return f"{counts}; {ends[report.rest]}"


def verdicts(before: Outcome | Decided, after: Outcome | Decided) -> str:
    """``deny -> allow``."""
    return f"{_verdict(before)} -> {_verdict(after)}"


def decider(decided: Outcome | Decided) -> str:
    """The rule that decides, or the default."""
    name = "the default" if decided.rule is None else f"rule {quoted(decided.rule)}"
    return name if decided.policy is None else f"{name} of policy {quoted(decided.policy)}"


def shown(value: Any, longest: int = _LONGEST) -> str:
    """``value`` as JSON in ASCII on one line, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text)} characters)"


def quoted(text: str) -> str:
    return shown(text, 200)


def recorded(flip: Flip) -> str:
    """``12 recorded calls, by crm-1 (10) and crm-2 (2), of crm.get (12)``."""
    noun = "recorded call" if flip.count == 1 else "recorded calls"
    return f"{flip.count} {noun}, by {most(flip.agents)}, of {most(flip.tools)}"


def edited(edit: Edit) -> str:
    """``changed: rule "cap": verdict "deny" -> "allow"``."""
    subject = "the bundle" if not edit.policy else f"policy {quoted(edit.policy)}"
    if edit.rule is not None:
        subject = f"rule {quoted(edit.rule)} of {subject}"
    if edit.kind in ("covered", "uncovered"):
        return _coverage(edit)
    fields = "; ".join(
        f"{name} {shown(before, 300)} -> {shown(after, 300)}" for name, (before, after) in edit.fields.items()
    )
    return f"{edit.kind}: {subject}" + (f": {fields}" if fields else "")


def _coverage(edit: Edit) -> str:
    before, after = edit.fields["tools"]
    names = sorted(set(before) - set(after) if edit.kind == "uncovered" else set(after) - set(before))
    verb = "no longer stand" if edit.kind == "uncovered" else "now stand"
    return f"{edit.kind}: the hooks {verb} before {', '.join(map(quoted, names))}"


def _verdict(decided: Outcome | Decided) -> str:
    if decided.would_be is None:
        return decided.verdict
    return f"{decided.verdict} (in shadow; would be {decided.would_be})"


def most(counts: Any) -> str:
    """The most frequent of what was counted."""
    named = [f"{quoted(name)} ({count})" for name, count in counts.most_common(_NAMED)]
    more = len(counts) - len(named)
    return ", ".join([*named, *([f"{more} more"] if more else [])])
