"""A gate that asks the evaluator: the evaluator itself is never asked from here."""

import pytest
from hooks.doctor.repositories import compiled, repository

pytestmark = pytest.mark.slow


_POLICY = """\
include: [protect_control_plane]
rules:
  - {priority: 1, label: no rm, tool_name_glob: shell.exec, verdict: deny, args_match: {clauses: [
      {path: $.command, op: shell, value: {program: rm}}]}}
  - {priority: 2, label: hold, tool_name_glob: shell.exec, verdict: pending_approval, args_match: {clauses: [
      {path: $.command, op: shell, value: {program: git, args: [push]}}]}}
"""


@pytest.mark.parametrize("name", ["managed", "claude-code", "gemini-cli"])
def test_what_the_gate_knows_holds_while_the_evaluator_is_dead(name, tmp_path, table):
    folder = repository(compiled(tmp_path / "b", _POLICY, holds=True), name, tmp_path / "my repo")
    text = "".join(path.read_text() for path in folder.rglob("*.json") if path.name != "plan.json")
    assert "--ask" in text
    rows = table(name, folder)
    assert {rows[row].status for row in ("denied", "passed", "garbage", "dead-evaluator")} == {"closed"}
