"""What the engine must decide, as data for any interpreter: plans, calls, and the answers here."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from decide_elsewhere import answer

from policyc.building import compile_path
from policyc.engine.evaluate import Evaluator
from policyc.engine.plan import Plan

ROOT = Path(__file__).parents[1]

#: Patterns that need Unicode tables, sets of patterns, globs with several stars, and custom redaction.
POLICY = {
    "rules": [
        {
            "priority": 1,
            "tool_name_glob": ["a*b*c", "x*y*z"],
            "verdict": "sanitize",
            "sanitize": {"custom": [r"\p{Greek}+", r"(?i)straße\d{2,}", "a|ab"]},
        },
        *[
            {
                "priority": priority,
                "label": pattern,
                "verdict": "deny",
                "args_match": {"clauses": [{"path": "$.text", "op": "regex", "value": pattern}]},
            }
            for priority, pattern in enumerate(
                [r"(?i)ÉCOLE\b", r"^\p{Lu}\d+$", r"[^\PN0-9]x", r"(?m)^rm\s+-[a-z]*r", r"\Bé\B"], 2
            )
        ],
        {
            "priority": 50,
            "verdict": "deny",
            "args_match": {
                "clauses": [{"path": "$.command", "op": "shell", "value": {"code": r"\p{Cyrillic}{3}"}}]
            },
        },
    ]
}
TEXTS = [
    "une école",
    "École1",
    "Ж12",
    "٣x",
    "ls\nrm -fr",
    "aéb",
    "xéy",
    "",
    "αβγ straße99 STRASSE1 abab",
    "\ud800É",
]


@cache
def work() -> tuple[list[Any], list[Any]]:
    """``[plan, calls]`` pairs, and the answers of this interpreter to each."""
    plans = [*_seed(), *_bundles(), _own()]
    answers = []
    for plan, calls in plans:
        evaluator = Evaluator(Plan.load(plan))
        answers.append([answer(evaluator, call) for call in calls])
    return plans, answers


def _seed() -> list[Any]:
    lines = (ROOT / "tests/cases/seed_firewall.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [[_compiled(case["policy"]), [case["call"]]] for case in cases]


def _bundles() -> list[Any]:
    from policyc.testing.suite import read_suite  # only this interpreter reads YAML

    return [
        [compile_path(folder).data, [ask.document for case in read_suite(folder).cases for ask in case.asks]]
        for folder in sorted(ROOT.glob("bundles/*"))
    ]


def _own() -> list[Any]:
    calls = [{"tool": tool, "args": {"text": text}} for text in TEXTS for tool in ("axbxc", "t")]
    code = ["python -c 'жжж'", "python -c 'жж'", "ls"]
    return [
        _compiled(POLICY),
        [*calls, *[{"tool": "shell.exec", "args": {"command": line}} for line in code]],
    ]


def _compiled(policy: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "policy.json"
        target.write_text(json.dumps(policy), "utf-8")
        return compile_path(target).data
