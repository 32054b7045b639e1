"""What became of tests, as JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policyc.source.render import render_json
from policyc.testing.coverage import Coverage, RuleCoverage, percent
from policyc.testing.mutation.report import mutation_document
from policyc.testing.places import Places
from policyc.testing.report_text import Opened, place, said
from policyc.testing.run import Failure, Result
from policyc.testing.session import Tested


def document(tested: Tested, opened: Opened) -> dict[str, Any]:
    """One target: its numbers, every result, and its coverage where that was asked for."""
    found: dict[str, Any] = {
        "target": str(tested.target),
        "revision": tested.loaded.revision,
        "tests": len(tested.results),
        "failed": len(tested.failed),
        "diagnostics": render_json(tested.suite.diagnostics),
        "results": [_result(result, opened) for result in tested.results],
    }
    if tested.coverage is not None:
        found["coverage"] = _coverage(tested, tested.coverage, opened)
    if tested.mutation is not None:
        found["mutation"] = mutation_document(tested.mutation, opened)
    return found


def _result(result: Result, opened: Opened) -> dict[str, Any]:
    case = result.case
    return {
        "path": opened(case.path),
        "line": case.line,
        "name": case.name,
        "row": case.row,
        "passed": result.passed,
        "seconds": round(result.seconds, 6),
        "failure": None if result.failure is None else _failure(result.failure, opened),
    }


def _failure(failure: Failure, opened: Opened) -> dict[str, Any]:
    outcome = failure.outcome
    decided = None if outcome is None else {
        "verdict": outcome.verdict,
        "rule": outcome.rule,
        "policy": outcome.policy,
        "source": None if outcome.source is None else place(outcome.source, opened),
        "reason": outcome.reason,
        "reason_code": outcome.reason_code,
        "would_be": outcome.would_be,
    }  # fmt: skip
    return {
        "line": failure.line,
        "problem": failure.problem,
        "differences": [
            {"key": one.key, "expected": one.expected, "got": one.got} for one in failure.differences
        ],
        "call": None if failure.ask is None else failure.ask.document,
        "decision": decided,
        "explain": failure.trace.documents(),
    }


def _coverage(tested: Tested, found: Coverage, opened: Opened) -> dict[str, Any]:
    places = tested.places
    return {
        "percent": round(found.percent, 2),
        "policies": {name: round(share, 2) for name, share in found.by_policy.items()},
        "included_percent": round(percent(found.foreign), 2) if found.foreign else None,
        "missed": [miss for rule in found.own for miss in _missed(rule, places, opened)],
    }


def _missed(rule: RuleCoverage, places: Places, opened: Opened) -> Sequence[dict[str, Any]]:
    return [
        {
            "path": opened(rule.rule.source.path),
            "line": places.line(*point[:2]),
            "rule": rule.rule.label,
            "clause": point[1] if isinstance(point[1], int) else None,
            "condition": "clause" if isinstance(point[1], int) else point[1],
            "outcome": point[2],
            "message": said(rule, point),
        }
        for point in rule.missed
    ]
