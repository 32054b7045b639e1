import json

import pytest

BUNDLE = """\
bundle: pay
default_policy: hooked
server: {url: https://policy.example.com}
hooks:
  gate:
    pre_tool_execution:
      - {handler: server, timeout: 10}
"""


POLICY = """\
include: [protect_control_plane]
rules: [{priority: 1, label: no shell, tool_name_glob: shell.*, verdict: deny}]
"""


@pytest.fixture
def hooked(bundle, tmp_path):
    (tmp_path / bundle / "bundle.yaml").write_text(BUNDLE)
    (tmp_path / bundle / "policies/hooked.yaml").write_text(POLICY)
    return bundle


def test_generate_writes_hooks_json_and_says_what_stays_open(policyc, hooked, tmp_path):
    answer = policyc("hooks", "generate", hooked, "--out", "sandbox")
    assert answer.code == 0
    document = json.loads((tmp_path / "sandbox/.agents/hooks.json").read_text())
    (entry,) = document["gate"]["pre_tool_execution"]
    gate, server = entry["hooks"]
    assert "/.agents/hooks-scripts/gate.py --target managed" in gate["command"]
    assert server["url"] == "https://policy.example.com/v1/hooks/pre_tool_execution"
    assert "note: " in answer.err


def test_check_fails_when_the_file_differs(policyc, hooked, tmp_path):
    assert policyc("hooks", "generate", hooked, "--check").code == 1
    policyc("hooks", "generate", hooked)
    assert policyc("hooks", "generate", hooked, "--check").code == 0
    path = tmp_path / ".agents/hooks.json"
    path.write_text(path.read_text().replace("15", "16"))
    answer = policyc("hooks", "generate", hooked, "--check")
    assert answer.code == 1
    assert '"timeout": 1' in answer.out
    assert "16" in path.read_text()


@pytest.mark.parametrize("path", ["gate.py", "plan.json", "policyc/engine/walk.py"])
def test_check_fails_when_the_gate_differs(policyc, hooked, tmp_path, path):
    policyc("hooks", "generate", hooked)
    with (tmp_path / ".agents/hooks-scripts" / path).open("a") as file:
        file.write("\n")
    assert policyc("hooks", "generate", hooked, "--check").code == 1


def test_a_bundle_that_lets_the_agent_change_its_guard_is_refused(policyc, hooked, tmp_path):
    (tmp_path / hooked / "policies/hooked.yaml").write_text(POLICY.partition("\n")[2])
    answer = policyc("hooks", "generate", hooked)
    assert answer.code == 2
    assert "error[no_self_protection]" in answer.err
    assert "include: [protect_control_plane]" in answer.err
    assert not (tmp_path / ".agents").exists()
    assert policyc("hooks", "generate", hooked, "--no-self-protection").code == 0
    plan = (tmp_path / ".agents/hooks-scripts/plan.json").read_text()
    assert "control plane" not in plan


def test_an_artifact_gives_the_same_and_carries_them(policyc, hooked, tmp_path):
    policyc("build", hooked)
    policyc("hooks", "generate", hooked, "--out", "a")
    policyc("hooks", "generate", "pay.tar.gz", "--out", "b")
    for path in ("hooks.json", "hooks-scripts/plan.json"):
        assert (tmp_path / "a/.agents" / path).read_text() == (tmp_path / "b/.agents" / path).read_text()
    files = policyc("inspect", "pay.tar.gz", "--format", "json").json["files"]
    assert "policyc/pay/hooks/managed/.agents/hooks.json" in files


def test_a_target_that_is_not_known(policyc, hooked):
    assert policyc("hooks", "generate", hooked, "--target", "nobody").code == 2
