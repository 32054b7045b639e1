"""The bundles that ship decide as their own tests say, and check clean."""

import json
from pathlib import Path

import pytest

from policyc.building import compile_path
from policyc.compiler.presets import shipped_presets
from policyc.engine.calls import read_call
from policyc.engine.evaluate import Evaluator
from policyc.engine.plan import Plan

CASES = [
    (path.parent.parent, line)
    for path in sorted(Path(__file__).parents[1].glob("bundles/*/tests/calls.jsonl"))
    for line in path.read_text("utf-8").splitlines()
]


def test_every_bundle_has_tests_and_is_offered():
    tested = {folder.name for folder, _ in CASES}
    assert tested == set(shipped_presets())


@pytest.mark.parametrize(
    ("folder", "line"), CASES, ids=[f"{folder.name}-{n}" for n, (folder, _) in enumerate(CASES)]
)
def test_a_case(folder, line):
    built = compile_path(folder)
    assert built.diagnostics == ()
    case = json.loads(line)
    outcome = Evaluator(Plan.load(built.data)).decide(read_call(case["call"]))
    assert {"verdict": outcome.verdict, "rule": outcome.rule} == case["expect"]
