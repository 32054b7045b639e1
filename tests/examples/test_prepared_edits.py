"""Ten edits of the payments desk in `examples/`, and all that `policyc diff` prints of each."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BUNDLE = Path(__file__).parents[2] / "examples/pull-request/bundle"
POLICY, HOOKS = "policies/desk.yaml", "bundle.yaml"
#: Edit -> the file, and what is replaced in it.
EDITS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "loosened glob": (POLICY, [('"crm.get*"', '"crm.*"')]),
    "reordered deny": (POLICY, [("priority: 5\n", "priority: 7\n")]),
    "regex narrowed": (POLICY, [("^DE[0-9]+$", "^DE[0-9]{4}$")]),
    "threshold raised": (POLICY, [("100000", "200000")]),
    "default flipped": (POLICY, [("default_verdict: deny", "default_verdict: audit")]),
    "shadow on": (POLICY, [("default_verdict: deny", "default_verdict: deny\nshadow: true")]),
    "clause dropped": (POLICY, [("        - {path: $.currency, op: eq, value: EUR}\n", "")]),
    "equivalent refactor": (
        POLICY,
        [
            ("priority: 5\n", "priority: 50\n"),
            ("priority: 6\n", "priority: 60\n"),
            ("priority: 10,", "priority: 100,"),
            ("priority: 20,", "priority: 200,"),
            ("^DE[0-9]+$", "^DE[0-9][0-9]*$"),
            ('"crm.get*"', '["crm.get", "crm.get*"]'),
        ],
    ),
    "new allow fully shadowed": (
        POLICY,
        [
            (
                "  - {priority: 20",
                '  - {priority: 15, label: more, stage: mcp, tool_name_glob: "crm.get_*", verdict: allow}\n'
                "  - {priority: 20",
            )
        ],
    ),
    "hook matcher lost": (HOOKS, [("      - {matcher: write_file, handler: gate}\n", "")]),
}


def edited(folder: Path, name: str) -> None:
    """``old`` and ``new`` in ``folder``: the bundle before and after the edit."""
    file, replacements = EDITS[name]
    for side in ("old", "new"):
        shutil.copytree(BUNDLE, folder / side)
    text = (folder / "new" / file).read_text("utf-8")
    for before, after in replacements:
        assert text.count(before) == 1
        text = text.replace(before, after)
    (folder / "new" / file).write_text(text)


def policyc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "policyc", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


#: What is printed: the verdicts that change, and the edits.
PRINTED = {
    name: (Path(__file__).parent / "prepared_edits" / f"{name}.txt").read_text("utf-8") for name in EDITS
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_its_region_with_a_witness_and_nothing_else(tmp_path, name):
    edited(tmp_path, name)
    done = policyc(tmp_path, "diff", "old", "new")
    assert (done.returncode, done.stdout) == (0, PRINTED[name])


@pytest.mark.parametrize("name", EDITS)
def test_the_document_says_the_same_and_each_witness_differs(tmp_path, name):
    edited(tmp_path, name)
    document = json.loads(policyc(tmp_path, "diff", "old", "new", "--format", "json").stdout)
    assert (document["rest"], document["unknown"]) == ("proved", [])
    assert len(document["changes"]) == PRINTED[name].count("\n  call: ")
    for change in document["changes"]:
        assert f"  call:   {json.dumps(change['witness'])}\n" in PRINTED[name]
        assert decided(tmp_path, "old", change["witness"]) == (change["from"], change["old_rule"])
        assert decided(tmp_path, "new", change["witness"]) == (change["to"], change["new_rule"])


def decided(folder: Path, target: str, call: dict[str, Any]) -> tuple[str, str | None]:
    (folder / "call.jsonl").write_text(json.dumps(call))
    found = json.loads(policyc(folder, "eval", target, "--calls", "call.jsonl").stdout)
    return found["verdict"], found["rule"]


@pytest.mark.parametrize("name", EDITS)
def test_what_a_gate_in_ci_makes_of_it(tmp_path, name):
    edited(tmp_path, name)
    loosens = "loosened:" in PRINTED[name] or "uncovered:" in PRINTED[name]
    assert policyc(tmp_path, "diff", "old", "new", "--fail-on", "loosened").returncode == loosens
    assert policyc(tmp_path, "diff", "old", "new", "--fail-on", "any").returncode == 1
