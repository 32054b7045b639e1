import json

import pytest

from policyc.hooks.doctor import diagnose as module
from policyc.hooks.doctor.situations import SITUATIONS

POLICY = """\
include: [protect_control_plane]
rules: [{priority: 1, label: no rm, tool_name_glob: shell.exec, verdict: deny, args_match: {clauses: [
  {path: $.command, op: shell, value: {program: rm}}]}}]
"""


@pytest.fixture
def repository(policyc, bundle, tmp_path, monkeypatch):
    """A folder with the hooks of Codex; what waits for a timeout is left out."""
    monkeypatch.setattr(module, "SITUATIONS", [one for one in SITUATIONS if not one.slow])
    (tmp_path / bundle / "bundle.yaml").write_text("bundle: pay\ndefault_policy: main\n")
    (tmp_path / bundle / "policies/main.yaml").write_text(POLICY)
    assert policyc("hooks", "generate", bundle, "--target", "codex", "--out", "repo").code == 0
    return tmp_path / "repo"


def test_all_is_closed(policyc, repository):
    answer = policyc("hooks", "doctor", "codex", repository)
    assert answer.code == 0
    words = " ".join(answer.out.split())
    for said in ("situation", "status", "why", "cannot be closed", "not exercised", "(C15)"):
        assert said in words


def test_json_has_every_row(policyc, repository):
    answer = policyc("hooks", "doctor", "codex", repository, "--format", "json")
    assert (answer.json["target"], answer.json["healthy"]) == ("codex", True)
    [row] = [row for row in answer.json["rows"] if row["name"] == "python-stub"]
    assert (row["status"], row["cases"]) == ("closed", ["C15"])
    assert set(row) == {"name", "what", "status", "why", "cases"}


def test_an_open_row_is_exit_code_1(policyc, repository):
    path = repository / ".codex/hooks.json"
    document = json.loads(path.read_text())
    document["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = "true .policyc/gate/gate.py"
    path.write_text(json.dumps(document))
    answer = policyc("hooks", "doctor", "codex", repository, "--format", "json")
    assert answer.code == 1
    assert answer.json["healthy"] is False


def test_nothing_to_run_is_exit_code_2(policyc, repository):
    answer = policyc("hooks", "doctor", "qwen", repository)
    assert answer.code == 2
    assert "error[nothing_to_run]" in answer.err
    assert "policyc hooks generate" in answer.err
