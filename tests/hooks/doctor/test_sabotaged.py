"""Hooks that somebody broke: each is found, and what would help is said."""

import json
import shutil

import pytest
from hooks.doctor.repositories import CONFIGS, compiled, edit, gate_of, repository, runs

from policyc.hooks.doctor.rows import FAULTY
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import TARGETS

pytestmark = pytest.mark.slow


NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="the plugin runs under node")
EACH = [pytest.param(name, marks=NEEDS_NODE) if name == "opencode" else name for name in TARGETS]


def faulty(rows):
    return {name for name, row in rows.items() if row.status in FAULTY}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_command_that_ends_with_1(name, written, table):
    folder = written(name)
    edit(name, folder, runs("exit 1"))
    rows = table(name, folder)
    closes = name in ("claude-code", "cursor", "copilot")
    assert rows["denied"].status == ("closed" if closes else "open")
    assert rows["passed"].status == ("broken" if closes else "closed")


@pytest.mark.parametrize("name", CONFIGS)
def test_a_command_that_prints_and_decides_nothing(name, written, table):
    folder = written(name)
    edit(name, folder, runs("echo Welcome"))
    rows = table(name, folder)
    closes = name in ("claude-code", "cursor")
    assert rows["denied"].status == ("closed" if closes else "open")
    assert "Welcome" in rows["denied"].why or name == "managed"
    assert faulty(rows)


@pytest.mark.parametrize("name", EACH)
def test_a_gate_that_is_gone(name, written, table):
    folder = written(name)
    (gate_of(name, folder) / "gate.py").unlink()
    rows = table(name, folder)
    assert rows["passed"].status == "broken"
    assert "there is no " in rows["passed"].why


@pytest.mark.parametrize("name", EACH)
def test_a_plan_that_is_cut_off(name, written, table):
    folder = written(name)
    plan = gate_of(name, folder) / "plan.json"
    plan.write_bytes(plan.read_bytes()[:-100])
    rows = table(name, folder)
    assert rows["passed"].status == "broken"
    assert "plan.json is damaged" in rows["passed"].why
    assert not [row for row in rows.values() if row.status == "open"]


@pytest.mark.parametrize(
    ("name", "switch", "said"),
    [("claude-code", "onFailure", 'onFailure: "block"'), ("cursor", "failClosed", "failClosed: true")],
)
def test_the_switch_that_fails_closed_is_off(name, switch, said, written, table):
    folder = written(name)
    edit(name, folder, lambda entry: entry.pop(switch, None))
    rows = table(name, folder)
    opened = {"python-stub", "python-crash"} | ({"python-prints"} if name == "claude-code" else set())
    assert faulty(rows) == opened
    assert all(said in rows[row].why for row in opened)


@pytest.mark.parametrize("name", ["managed", "claude-code", "copilot", "qwen"])
def test_an_evaluator_without_a_gate_before_it(name, written, table):
    folder = written(name)
    path = folder / CONFIGS[name]
    document = json.loads(path.read_text())
    _only_http(document)
    path.write_text(json.dumps(document))
    rows = table(name, folder, "hanging-evaluator")
    assert (
        rows["denied"].status == rows["dead-evaluator"].status == rows["hanging-evaluator"].status == "open"
    )


def _only_http(value):
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, list):
            inner[:] = [one for one in inner if not isinstance(one, dict) or one.get("type") != "command"]
        if isinstance(inner, (dict, list)):
            _only_http(inner)


@pytest.mark.parametrize(
    ("name", "key"), [("gemini-cli", "timeout"), ("qwen", "timeout"), ("kiro", "timeout_ms")]
)
def test_c07_seconds_in_a_field_of_milliseconds(name, key, written, table):
    """The gate is killed before it has started, so every call runs."""
    folder = written(name)
    edit(name, folder, lambda entry: entry.__setitem__(key, 30))
    rows = table(name, folder)
    assert rows["denied"].status == "open"
    assert "killed by the agent after 0.03 s" in rows["denied"].why


@pytest.mark.parametrize("name", ["codex", "managed"])
def test_c07_a_deadline_behind_the_agents_timeout(name, written, table):
    folder = written(name)

    def change(entry):
        entry["timeout"] = 2
        entry["command"] = entry.get("command", "").replace("--deadline 20", "--deadline 60")
        entry["command"] = entry["command"].replace("--deadline 10", "--deadline 60")

    edit(name, folder, lambda entry: change(entry) if "gate.py" in entry.get("command", "") else None)
    rows = table(name, folder, "deadline")
    assert rows["deadline"].status == "open"


def test_a_dead_evaluator_that_codex_does_not_notice(written, table):
    folder = written("codex")

    def change(entry):
        entry["command"] = entry["command"].replace(" || exit 2", "")

    edit("codex", folder, change)
    rows = table("codex", folder)
    assert faulty(rows) == {"dead-evaluator"}
    assert "curl: (7)" in rows["dead-evaluator"].why


def test_c08_a_command_line_without_its_second_half(written, table):
    folder = written("codex")

    def change(entry):
        entry["command"] = entry["command"].partition(" || (")[0]

    edit("codex", folder, change)
    assert faulty(table("codex", folder)) == {"python-stub", "python-crash"}


def test_c14_a_command_in_a_login_shell_whose_profile_prints(written, table):
    folder = written("gemini-cli")
    line = "python3 -I -S .policyc/gate/gate.py --target gemini-cli --deadline 20"
    edit("gemini-cli", folder, lambda entry: entry.__setitem__("command", f"bash -lc '{line}'"))
    rows = table("gemini-cli", folder)
    assert (rows["denied"].status, rows["shell-profile"].status) == ("closed", "open")


def test_c16_a_path_that_lost_its_backslashes(written, table):
    folder = written("codex")

    def change(entry):
        entry["command"] = entry["command"].replace(".policyc/gate/gate.py", ".policycgategate.py")
        entry["statusMessage"] = ".policyc/gate/gate.py"

    edit("codex", folder, change)
    rows = table("codex", folder)
    assert rows["passed"].status == "broken"
    assert "can't open file" in rows["passed"].why


def test_a_script_of_cline_that_cannot_be_executed(written, table):
    folder = written("cline")
    (folder / ".clinerules/hooks/PreToolUse").chmod(0o644)
    rows = table("cline", folder)
    assert rows["denied"].status == "open"
    assert "Permission denied" in rows["denied"].why


@NEEDS_NODE
@pytest.mark.parametrize("text", ["export const Policyc = (", "export const Policyc = async () => ({})"])
def test_a_plugin_that_does_nothing(text, written, table):
    folder = written("opencode")
    (folder / ".opencode/plugins/policyc.js").write_text(text)
    assert table("opencode", folder)["denied"].status == "open"


def test_one_of_two_versions_of_kiro(written, table):
    folder = written("kiro")
    path = folder / ".kiro/hooks/policyc.json"
    document = json.loads(path.read_text())
    document["hooks"][0]["action"]["command"] = "true"
    path.write_text(json.dumps(document))
    assert table("kiro", folder)["denied"].status == "open"


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_to_run(name, table, tmp_path):
    with pytest.raises(HooksError) as error:
        table(name, tmp_path)
    assert error.value.code == "nothing_to_run"


@pytest.mark.parametrize("name", [name for name in CONFIGS if name != "managed"])
@pytest.mark.parametrize(
    "text", ["{", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": 1, "preToolUse": 1}}']
)
def test_a_configuration_that_cannot_be_read(name, text, table, written):
    folder = written(name)
    (folder / CONFIGS[name]).write_text(text)
    with pytest.raises(HooksError) as error:
        table(name, folder)
    assert error.value.code == "nothing_to_run"


ALL = {"permits": "default_verdict: audit\nrules: []\n", "denies": "default_verdict: deny\nrules: []\n"}


@pytest.mark.parametrize(("does", "row"), [("permits", "denied"), ("denies", "passed")])
@pytest.mark.parametrize("name", ["codex", "managed", "windsurf", pytest.param("opencode", marks=NEEDS_NODE)])
def test_a_policy_that_leaves_nothing_to_tell(name, does, row, table, tmp_path):
    folder = repository(compiled(tmp_path / "b", ALL[does]), name, tmp_path / "repo")
    rows = table(name, folder)
    assert rows[row].status == "not exercised"
    other = "denies" if does == "permits" else "permits"
    assert rows[row].why == f"the policy {other} none of the calls that were tried"
    assert not faulty(rows)
