"""Command lines of our own: a coding agent's everyday work passes, what loses work or leaks is stopped."""

# One JSON string a line in tests/cases, a file for each field.

import json

import pytest
from bundle_cases import ROOT, decide_line

AGENT = "examples/coding-agent"
CASES = ROOT / "tests/cases"


def _lines(pattern: str) -> list[str]:
    return [
        json.loads(line)
        for path in sorted(CASES.glob(pattern))
        for line in path.read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize("line", _lines("*_everyday.jsonl"))
def test_everyday_work_passes(line):
    outcome = decide_line(AGENT, line)
    assert outcome.verdict in ("allow", "audit"), outcome.rule


@pytest.mark.parametrize("line", _lines("*_stopped.jsonl"))
def test_it_is_stopped(line):
    assert decide_line(AGENT, line).verdict in ("deny", "pending_approval")
