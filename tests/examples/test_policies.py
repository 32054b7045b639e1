"""The policies of the examples decide as their own tests say."""

from pathlib import Path

import pytest

from policyc.loading import load_target
from policyc.testing.coverage import coverage
from policyc.testing.run import Runner
from policyc.testing.suite import read_suite

BUNDLES = sorted(file.parent for file in (Path(__file__).parents[2] / "examples").rglob("bundle.yaml"))


@pytest.mark.parametrize("folder", BUNDLES, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_bundle_of_the_examples(folder):
    loaded, suite = load_target(folder), read_suite(folder)
    assert suite.diagnostics == ()
    runner = Runner(suite, loaded, cover=True)
    assert [result.case.title for result in runner.results() if not result.passed] == []
    assert coverage(loaded.plan, runner.points).percent == 100
