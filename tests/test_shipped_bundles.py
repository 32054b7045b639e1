"""The bundles that ship decide as their own tests say, and check clean."""

from pathlib import Path

import pytest

from policyc.compiler.presets import shipped_presets
from policyc.loading import load_target
from policyc.testing.run import Runner
from policyc.testing.suite import read_suite

BUNDLES = sorted(path for path in (Path(__file__).parents[1] / "bundles").iterdir() if path.is_dir())


def test_every_bundle_is_offered():
    assert {folder.name for folder in BUNDLES} == set(shipped_presets())


@pytest.mark.parametrize("folder", BUNDLES, ids=lambda folder: folder.name)
def test_a_bundle(folder):
    loaded, suite = load_target(folder), read_suite(folder)
    assert loaded.diagnostics == suite.diagnostics == ()
    assert suite.cases
    assert [result.case.title for result in Runner(suite, loaded).results() if not result.passed] == []
