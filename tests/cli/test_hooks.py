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
    # protect_control_plane holds changes of what CI runs, so the gate itself asks.
    (gate,) = entry["hooks"]
    assert "/.agents/hooks-scripts/gate.py --target managed" in gate["command"]
    assert "--ask https://policy.example.com/v1/hooks/pre_tool_execution " in gate["command"]
    assert "note: " in answer.err


def test_check_fails_when_the_file_differs(policyc, hooked, tmp_path):
    assert policyc("hooks", "generate", hooked, "--check").code == 1
    policyc("hooks", "generate", hooked)
    assert policyc("hooks", "generate", hooked, "--check").code == 0
    path = tmp_path / ".agents/hooks.json"
    path.write_text(path.read_text().replace("25", "26"))
    answer = policyc("hooks", "generate", hooked, "--check")
    assert answer.code == 1
    assert '"timeout": 2' in answer.out
    assert "26" in path.read_text()


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


def test_a_policy_that_lets_the_agent_change_its_guard_all_the_same_is_pointed_out(policyc, hooked, tmp_path):
    said = "note: The policy lets the agent change what guards it"
    assert said not in policyc("hooks", "generate", hooked).err
    (tmp_path / hooked / "policies/hooked.yaml").write_text("shadow: true\n" + POLICY)
    answer = policyc("hooks", "generate", hooked)
    assert answer.code == 0
    assert said in answer.err


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


def test_another_agent_merges_into_the_settings_that_are_there(policyc, hooked, tmp_path):
    settings = tmp_path / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}')
    asked = ("hooks", "generate", hooked, "--target", "claude-code", "--no-self-protection")
    assert policyc(*asked, "--check").code == 1
    assert settings.read_text() == '{"model": "opus"}'
    answer = policyc(*asked)
    assert answer.code == 0
    assert str(settings.relative_to(tmp_path)) in answer.out
    document = json.loads(settings.read_text())
    assert document["model"] == "opus"
    [group] = document["hooks"]["PreToolUse"]
    [gate] = group["hooks"]
    assert gate["args"][-2:] == ["--ask", "https://policy.example.com/v1/hooks/claude-code"]
    assert policyc(*asked, "--check").code == 0


def test_native_rules_are_listed_with_the_reasons(policyc, bundle):
    asked = ("hooks", "generate", bundle, "--target", "claude-code", "--no-self-protection")
    answer = policyc(*asked)
    assert "note: Native rule: default_verdict: deny, the tool Bash: Bash" in answer.err
    assert (
        "note: No native rule, its conditions are more than a tool or the start of a command: pay: "
        in answer.err
    )
    listed = policyc(*asked, "--format", "json").json["native"]
    assert {"what": "default_verdict: deny, the tool Bash", "rule": "Bash"}.items() <= listed[0].items()
    assert any(one["rule"] is None and "conditions" in one["why"] for one in listed)


def test_many_rules_without_a_native_one_share_a_note(policyc, bundle, tmp_path):
    rule = "{priority: 1, label: r%d, tool_name_glob: shell.exec, verdict: deny, args_match: {clauses: [%s]}}"
    clause = "{path: $.command, op: contains, value: x}"
    rules = "".join(f"  - {rule % (number, clause)}\n" for number in range(9))
    (tmp_path / bundle / "policies" / "pay.yaml").write_text(f"default_verdict: audit\nrules:\n{rules}")
    answer = policyc("hooks", "generate", bundle, "--target", "claude-code", "--no-self-protection")
    [note] = [line for line in answer.err.splitlines() if "No native rule" in line]
    assert note.endswith('pay: "r4" and 4 more.')


def test_settings_that_cannot_be_merged_are_an_error(policyc, hooked, tmp_path):
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/hooks.json").write_text("{")
    answer = policyc(
        "hooks", "generate", hooked, "--target", "cursor", "--no-self-protection", "--format", "json"
    )
    assert answer.code == 2
    assert answer.json["error"]["code"] == "settings_invalid"
    assert not (tmp_path / ".policyc").exists()


def test_the_interpreter_can_be_chosen(policyc, hooked, tmp_path):
    asked = ("hooks", "generate", hooked, "--no-self-protection", "--python", "C:\\Py 3\\python.exe")
    assert policyc(*asked, "--target", "cursor").code == 0
    assert '\\"C:/Py 3/python.exe\\" -I -S' in (tmp_path / ".cursor/hooks.json").read_text()
    assert policyc(*asked).code == 2
    assert policyc(*asked[:-1], "$(id)", "--target", "cursor").code == 2
