"""The hooks under pre-commit itself, in a repository that uses them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def test_the_manifest_is_one():
    done = run(ROOT, sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout
    assert [hook["id"] for hook in HOOKS] == ["policyc-fmt", "policyc-check", "policyc-lint", "policyc-test"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Uses the hooks as they are, but for the environment that pre-commit would install them in."""
    folder = tmp_path / "repository"
    shutil.copytree(ROOT / "examples/pull-request/bundle", folder / "desk")
    hooks = [
        {**hook, "language": "system"} | ({"args": ["desk"]} if "args" in hook else {}) for hook in HOOKS
    ]
    config = {"repos": [{"repo": "local", "hooks": hooks}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    run(folder, "git", "init")
    run(folder, "git", "add", ".")
    return folder


def hooks_of(repository: Path) -> dict[str, str]:
    done = run(repository, sys.executable, "-m", "pre_commit", "run", "--all-files")
    lines = [line for line in done.stdout.splitlines() if line.startswith("policyc ") and "." in line]
    return {line.partition(".")[0]: line.rpartition(".")[2] for line in lines}


@pytest.mark.slow
def test_each_hook_passes_what_is_right_and_stops_what_is_not(repository):
    names = [hook["name"] for hook in HOOKS]
    assert hooks_of(repository) == dict.fromkeys(names, "Passed")
    policy = repository / "desk/policies/desk.yaml"
    good = policy.read_text("utf-8")
    for edit, failing in (
        (("label: cap", "label:   cap"), {"policyc fmt"}),
        (
            ("description: What", "shadow: true\ndescription: What"),
            {"policyc fmt", "policyc lint", "policyc test"},
        ),
        (("value: 100000", "value: 9000000"), {"policyc test"}),
        (("verdict: allow", "verdict: maybe"), {"policyc check", "policyc lint", "policyc test"}),
    ):
        policy.write_text(good.replace(*edit))
        run(repository, "git", "add", ".")
        found = hooks_of(repository)
        assert {name for name, state in found.items() if state == "Failed"} == failing, (edit, found)
    policy.write_text(good)
