"""The engine decides the same on every Python from 3.9 on, with the standard library alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from decide_cases import work
from interpreters import VERSIONS, interpreter

from policyc.compiler.literals import with_literals

ROOT = Path(__file__).parents[2]


def answers_of(command, plans):
    driver = ROOT / "tests/decide_elsewhere.py"
    ran = subprocess.run(
        [command, "-I", "-S", "-W", "error", str(driver), str(ROOT)],
        input=json.dumps(plans),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_case_on_another_interpreter(version):
    plans, expected = work()
    found = answers_of(interpreter(version), plans)
    assert "re2" not in found["foreign"]
    assert found["answers"] == expected


def test_a_plan_with_its_literals_decides_the_same():
    plans, expected = work()
    for plan, _calls in plans:
        for policy in plan["policies"].values():
            policy["rules"] = [with_literals(rule) for rule in policy["rules"]]
    found = answers_of(sys.executable, plans)
    assert found["answers"] == expected


@pytest.mark.slow
def test_the_suite_of_the_engine_without_re2():
    options = ["-q", "-x", "-p", "without_re2", "-p", "no:cacheprovider", "-m", "not slow"]
    suite = ["tests/engine", "tests/test_seed_conformance.py", "tests/test_shipped_bundles.py"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *suite],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
