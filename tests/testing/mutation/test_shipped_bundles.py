"""The bundles that ship: every rule is tested, no mutant survives, and lint has nothing to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from policyc.analysis.lint.run import lint
from policyc.loading import load_target
from policyc.testing.coverage import coverage
from policyc.testing.mutation.report import mutation_lines
from policyc.testing.mutation.run import mutate
from policyc.testing.run import Runner
from policyc.testing.suite import read_suite

BUNDLES = sorted(path for path in (Path(__file__).parents[3] / "bundles").iterdir() if path.is_dir())

#: Half a minute and more each: `make mutate` looks at these too.
LARGE = {"block_destructive_shell", "block_secret_reads", "block_ssrf_egress", "git_guard"}

pytestmark = pytest.mark.slow


def named(folders):
    return pytest.mark.parametrize("folder", folders, ids=lambda folder: folder.name)


@named([folder for folder in BUNDLES if folder.name not in LARGE])
def test_no_mutant_survives(folder):
    found = mutate(load_target(folder), read_suite(folder), jobs=1)
    assert not found.of("surviving"), "\n".join(mutation_lines(found, str))


@named(BUNDLES)
def test_every_rule_matches_and_is_passed_over(folder):
    loaded, suite = load_target(folder), read_suite(folder)
    runner = Runner(suite, loaded, cover=True)
    assert all(result.passed for result in runner.run())
    found = coverage(loaded.plan, runner.points)
    missed = [(rule.rule.label, point) for rule in found.own for point in rule.missed]
    assert [(label, point) for label, point in missed if point[1] == "rule"] == []


@named(BUNDLES)
def test_lint_is_clean(folder):
    loaded = load_target(folder)
    assert lint(loaded.plan, loaded.sources).findings == []
