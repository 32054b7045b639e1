"""No reason of a bundle suggests a command that the bundle stops, nor one that the coding agent's does."""

import re

import pytest
from bundle_cases import ROOT, decide_line

from policyc.building import compile_path

QUOTED = re.compile("`([^`]+)`")
FOLDERS = [*sorted(f"bundles/{path.name}" for path in (ROOT / "bundles").iterdir()), "examples/coding-agent"]


def _suggested(folder: str) -> list[str]:
    policies = compile_path(ROOT / folder).data["policies"].values()
    reasons = [rule["reason"] or "" for policy in policies for rule in policy["rules"] if rule.get("reason")]
    return sorted({command for reason in reasons for command in QUOTED.findall(reason)})


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_a_reason_suggests_passes(folder):
    stopped = {
        command: decide_line(place, command).rule
        for command in _suggested(folder)
        for place in ("examples/coding-agent", *([folder] if "tight" not in folder else []))
        if decide_line(place, command).verdict in ("deny", "pending_approval")
    }
    assert not stopped


def test_there_are_suggestions():
    assert len(_suggested("examples/coding-agent")) > 10
