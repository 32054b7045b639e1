"""The difference of two bundles as JSON data."""

from __future__ import annotations

from typing import Any

from policyc.analysis.report import Region, Report
from policyc.analysis.structure import Edit
from policyc.analysis.traffic import Flip, Replay


def report_document(report: Report) -> dict[str, Any]:
    """``changes``, ``structure``, ``rest`` and ``unknown``; with events also ``traffic``."""
    document: dict[str, Any] = {
        "changes": [_change(region) for region in report.regions],
        "structure": [_edit(edit) for edit in report.structure],
        "rest": report.rest,
        "unknown": list(report.unknown),
    }
    if report.traffic is not None:
        document["traffic"] = replay_document(report.traffic)
    return document


def replay_document(replay: Replay) -> dict[str, Any]:
    return {
        "calls": replay.total,
        "undecided": replay.undecided.total(),
        "undecided_why": dict(replay.undecided.most_common()),
        "undecided_tools": dict(replay.undecided_tools.most_common()),
        "flips": [flip_document(flip) for flip in replay.flips],
    }


def flip_document(flip: Flip) -> dict[str, Any]:
    return {
        "from": flip.before.verdict,
        "to": flip.after.verdict,
        "old_rule": flip.before.rule,
        "new_rule": flip.after.rule,
        **_would_be(flip),
        **_recorded(flip),
    }


def _change(region: Region) -> dict[str, Any]:
    change = region.change
    return {
        "from": change.before.verdict,
        "to": change.after.verdict,
        "direction": change.direction,
        "old_rule": change.before.rule,
        "new_rule": change.after.rule,
        "old_source": change.before.source,
        "new_source": change.after.source,
        "policy": change.after.policy,
        **_would_be(change),
        "witness": change.witness,
        "status": "found",
        **({} if region.recorded is None else {"recorded": _recorded(region.recorded)}),
    }


def _would_be(change: Any) -> dict[str, Any]:
    """What shadow keeps from happening, where it does."""
    found = {"from_would_be": change.before.would_be, "to_would_be": change.after.would_be}
    return {name: verdict for name, verdict in found.items() if verdict is not None}


def _recorded(flip: Flip) -> dict[str, Any]:
    return {
        "calls": flip.count,
        "agents": dict(flip.agents.most_common()),
        "tools": dict(flip.tools.most_common()),
        "examples": flip.examples,
    }


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "kind": edit.kind,
        "policy": edit.policy or None,
        "rule": edit.rule,
        "source": edit.place,
        "fields": {name: list(values) for name, values in edit.fields.items()},
    }
