"""A repository's history, and the comment that its pull request gets: the one that the action writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ACTION = HERE.parents[1] / "action"
#: The change that somebody proposes, as a line of the policy before and after.
BEFORE = "{path: $.amount_cents, op: gt, value: 100000}"
AFTER = "{path: $.amount_cents, op: gt, value: 200000}"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="policyc-") as scratch:
        repository = Path(scratch) / "repository"
        shutil.copytree(HERE / "bundle", repository / "bundles/desk")
        git(repository, "init", "--initial-branch=main")
        commit(repository, "The desk's policy")
        git(repository, "checkout", "-b", "larger-payments")
        policy = repository / "bundles/desk/policies/desk.yaml"
        policy.write_text(policy.read_text("utf-8").replace(BEFORE, AFTER), "utf-8")
        commit(repository, "Let the desk pay 2,000.00")
        print(comment(repository, Path(scratch)), end="")


def commit(repository: Path, message: str) -> None:
    git(repository, "add", ".")
    git(repository, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-m", message)


def git(repository: Path, *arguments: str) -> None:
    print("$ git", *arguments, file=sys.stderr)
    own = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=repository, env=own, check=True, capture_output=True)


def comment(repository: Path, scratch: Path) -> str:
    """What `action.yml` runs on a runner."""
    environment = {
        **os.environ,
        # The policyc beside the Python that plays this.
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "BUNDLES": "bundles/desk",
        "BASE": "main",
        "FAIL_ON": "",
        "EVENTS": str(HERE / "events.jsonl"),
        "RUNNER_TEMP": str(scratch),
        "GITHUB_OUTPUT": str(scratch / "output"),
        "GITHUB_STEP_SUMMARY": str(scratch / "summary.md"),
    }
    subprocess.run([ACTION / "diff.sh"], cwd=repository, env=environment, check=True, stdout=sys.stderr)
    return (scratch / "summary.md").read_text("utf-8")


if __name__ == "__main__":
    main()
