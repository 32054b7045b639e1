from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from action.runner import ACTION, ROOT, STEPS, Comments, Runner, api_of

BUNDLE = ROOT / "examples/pull-request/bundle"


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A branch that raises the cap of the desk."""
    folder = tmp_path / "repository"
    shutil.copytree(BUNDLE, folder / "bundles/desk")
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "one")
    git(folder, "checkout", "-b", "topic")
    policy = folder / "bundles/desk/policies/desk.yaml"
    policy.write_text(policy.read_text("utf-8").replace("100000", "200000"))
    git(folder, "commit", "-am", "two")
    return folder


def pull_request(repository: Path) -> dict[str, Any]:
    return {"pull_request": {"number": 7, "base": {"sha": git(repository, "rev-parse", "main")}}}


def test_what_a_pull_request_says_stands_in_no_script():
    for step in STEPS:
        assert "${{" not in step.get("run", ""), step["name"]
        assert ("uses" in step) or step["shell"] == "bash"
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", f"a@{'0' * 40}"))
    text = (ROOT / "action.yml").read_text("utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    assert all(spec["description"] for spec in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))


def test_every_script_is_bash(tmp_path):
    scripts = sorted((ROOT / "action").glob("*.sh"))
    assert len(scripts) == 5
    for number, step in enumerate(STEPS):
        if "run" in step:
            scripts.append(tmp_path / f"{number}.sh")
            scripts[-1].write_text(step["run"])
    for script in scripts:
        subprocess.run(["bash", "-n", script], check=True)
    # What a step names is there.
    for name in re.findall(r"action/([\w.]+)", "".join(step.get("run", "") for step in STEPS)):
        assert (ROOT / "action" / name).is_file()


def test_the_inputs_are_documented():
    page = (ROOT / "docs/ci.md").read_text("utf-8")
    for name in (*ACTION["inputs"], *ACTION["outputs"]):
        assert f"`{name}`" in page


@pytest.mark.slow
def test_the_comment_is_written_once_and_then_anew(repository, tmp_path):
    comments = Comments()
    comments.add("mallory", "hello")
    with api_of(comments) as api:
        runner = Runner(repository, tmp_path, pull_request(repository), api)
        assert runner.run(bundles="bundles/desk") == 0, runner.log
        assert runner.ran == ["install", "check", "diff", "comment", "test", "lint", "build"]
        assert len(comments.kept) == 2
        body = comments.kept[1]["body"]
        assert body.startswith("<!-- policyc diff ")
        assert "1 loosened, 0 tightened" in body
        assert runner.summary in body
        assert "::warning file=bundles/desk/policies/desk.yaml,line=16,title=loosened::" in runner.log
        assert (tmp_path / "runner/policyc/artifacts/desk.tar.gz").is_file()
        pip = (tmp_path / "runner/pip").read_text()
        assert f"--constraint {ROOT}/constraints.txt {ROOT}\n" in pip
        git(repository, "revert", "--no-edit", "HEAD")
        assert runner.run(bundles="bundles/desk") == 0, runner.log
    assert len(comments.kept) == 2
    assert "no verdict changes; proved" in comments.kept[1]["body"]
    assert comments.kept[0]["body"] == "hello"


@pytest.mark.slow
def test_a_comment_of_another_with_our_mark_stays(repository, tmp_path):
    comments = Comments()
    with api_of(comments) as api:
        runner = Runner(repository, tmp_path, pull_request(repository), api)
        runner.run(bundles="bundles/desk", lint="false", test="false", artifact="")
        stolen = comments.kept.pop()["body"]
        for _ in range(100):
            comments.add("mallory", stolen)
        runner.run(bundles="bundles/desk", lint="false", test="false", artifact="")
        runner.run(bundles="bundles/desk", lint="false", test="false", artifact="")
    assert runner.ran[-2:] == ["diff", "comment"]
    assert [it["user"]["login"] for it in comments.kept] == ["mallory"] * 100 + ["github-actions[bot]"]


@pytest.mark.slow
@pytest.mark.parametrize("status", [403, 500])
def test_a_token_that_may_not_write_leaves_the_summary(repository, tmp_path, status):
    with api_of(Comments(status)) as api:
        runner = Runner(repository, tmp_path, pull_request(repository), api)
        assert runner.run(bundles="bundles/desk") == 0
    assert "::notice title=policyc::There is no comment" in runner.log
    assert "1 loosened" in runner.summary


@pytest.mark.slow
def test_an_api_that_is_away_and_an_event_without_a_pull_request(repository, tmp_path):
    runner = Runner(repository, tmp_path, pull_request(repository))
    assert runner.run(bundles="bundles/desk", lint="false", test="false") == 0
    assert "::warning title=policyc::There is no comment" in runner.log
    (tmp_path / "push").mkdir()
    pushed = Runner(repository, tmp_path / "push", {"before": git(repository, "rev-parse", "main")})
    assert pushed.run(bundles="bundles/desk", lint="false", test="false") == 0
    assert "This is no pull request" in pushed.log
    assert "1 loosened" in pushed.summary
    (tmp_path / "first").mkdir()
    first = Runner(repository, tmp_path / "first", {"before": "0" * 40})
    assert first.run(bundles="bundles/desk") == 0
    assert "comment" not in first.ran


@pytest.mark.slow
def test_fail_on_fails_after_the_comment(repository, tmp_path):
    comments = Comments()
    with api_of(comments) as api:
        runner = Runner(repository, tmp_path, pull_request(repository), api)
        assert runner.run(bundles="bundles/desk", fail_on="loosened unknown") == 1
    assert runner.ran[-2:] == ["build", "verdict"]
    assert len(comments.kept) == 1


@pytest.mark.slow
def test_the_base_of_a_shallow_clone_is_fetched(repository, tmp_path):
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--depth=1", "--branch=topic", f"file://{repository}", "shallow")
    event = pull_request(repository)
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    runner = Runner(shallow, tmp_path, event)
    assert runner.run(bundles="bundles/desk", comment="false", lint="false", test="false") == 0, runner.log
    assert "1 loosened" in runner.summary


@pytest.mark.slow
def test_several_bundles_a_new_one_and_a_file_named_like_the_base(repository, tmp_path):
    event = pull_request(repository)
    # What stands at `main` must be read from git, whatever the pull request calls its files.
    shutil.copytree(repository / "bundles/desk", repository / event["pull_request"]["base"]["sha"])
    shutil.copytree(BUNDLE, repository / "bundles/new one")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "three")
    runner = Runner(repository, tmp_path, event)
    bundles = "\n  bundles/desk/\n\nbundles/new one\n"
    assert runner.run(bundles=bundles, comment="false", lint="false", test="false", artifact="") == 0, (
        runner.log
    )
    assert "`bundles/desk`\n\n### policyc diff: 1 loosened" in runner.summary
    assert "`bundles/new one`\n\n### policyc diff: a new bundle" in runner.summary


@pytest.mark.slow
def test_what_a_policy_says_is_no_workflow_command(repository, tmp_path):
    policy = repository / "bundles/desk/policies/desk.yaml"
    policy.write_text(policy.read_text("utf-8").replace("pending_approval", "'::set-output name=x::y'"))
    shutil.copytree(BUNDLE, repository / "bundles/good")
    runner = Runner(repository, tmp_path, pull_request(repository))
    assert runner.run(bundles="bundles/desk\nbundles/good") == 1
    assert runner.ran == ["install", "check"]
    token, said = re.search(r"::stop-commands::(\w+)\n(.*?)\n::\1::", runner.log, re.DOTALL).groups()  # type: ignore[union-attr]
    assert len(token) == 32
    assert "::set-output" in said
    assert "bundles/good: 0 errors" in runner.log
    assert runner.run(bundles=" \n") == 2
