"""The calls that a plan on disk decides in a known way."""

import pytest
from builders import plan_data, rule
from hooks.agents.bundles import denies
from hooks.doctor.repositories import repository

from policyc.hooks.doctor.calls import choose
from policyc.hooks.doctor.local import Local
from policyc.hooks.generate import agent


def chosen(folder, *rules, default="audit"):
    repository(plan_data(list(rules), default=default), "codex", folder)
    return choose(Local(agent("codex"), folder), folder)


@pytest.mark.parametrize(
    ("rules", "denied", "passed"),
    [
        ([denies({"program": "rm"})], "shell.exec rm -rf /", "shell.exec git status"),
        ([denies({"program": "terraform"})], "shell.exec terraform x", "shell.exec git status"),
        ([rule(tools=["fs.write"])], "fs.write .agents/hooks.json", "shell.exec git status"),
        ([denies({"program": "git"})], "shell.exec git push --force origin main", "shell.exec ls"),
        ([rule(tools=["mcp.*"])], None, "shell.exec git status"),
        ([rule(tools=["*"])], "shell.exec rm -rf /", None),
        (
            [denies({"program": "rm"}, verdict="pending_approval")],
            "shell.exec rm -rf /",
            "shell.exec git status",
        ),
    ],
)
def test_the_calls_follow_from_the_plan(rules, denied, passed, tmp_path):
    found = chosen(tmp_path, *rules)
    assert found.problem == ""
    assert (found.denied and found.denied.what, found.passed and found.passed.what) == (denied, passed)


def test_a_plan_that_cannot_be_used_is_a_problem(tmp_path):
    chosen(tmp_path)
    plan = tmp_path / ".policyc/gate/plan.json"
    for text, problem in (("", "its digest is another"), (None, "cannot be read")):
        plan.unlink() if text is None else plan.write_text(text)
        assert problem in choose(Local(agent("codex"), tmp_path), tmp_path).problem
