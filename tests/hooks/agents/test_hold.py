"""The generated hooks hold: real processes, in a folder whose name needs quotes."""

import json
import os
import shutil
import sys

import pytest
from hooks.agents.bundles import AGENTS, bundle, without_gate
from hooks.agents.processes import judged, run

from policyc.hooks.generate import agent, generate_hooks
from policyc.hooks.target import Options
from policyc.hooks.write import write_files

NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="the plugin runs under node")
EACH = [pytest.param(name, marks=NEEDS_NODE) if name == "opencode" else name for name in AGENTS]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Every agent's files, each in a folder of its own."""
    folders = {}
    for name in AGENTS:
        folders[name] = tmp_path_factory.mktemp("my repo") / name
        write_files(generate_hooks(bundle(), name, Options(sys.executable)), folders[name])
    return folders


def all_are(found, judgement):
    return found and set(found) == {judgement}


@pytest.mark.parametrize("name", EACH)
def test_c17_what_the_policy_denies_is_blocked_and_the_rest_runs(name, written):
    """mmnto-ai/totem#2611: a hook that printed nothing let everything run."""
    target, folder = agent(name), written[name]
    assert all_are(judged(target, folder, target.samples.pre("shell.exec", "cd /tmp && rm -rf x")), "blocked")
    assert all_are(judged(target, folder, target.samples.pre("shell.exec", "ls")), "ran")
    assert all_are(judged(target, folder, target.samples.pre("fs.read", "a.txt")), "ran")
    assert all_are(judged(target, folder, target.samples.pre("fs.write", "a.txt")), "ran")


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("event", [b"", b"nonsense", b"{}{}"], ids=repr)
def test_an_event_that_cannot_be_read_is_blocked(name, event, written):
    if name == "opencode":
        pytest.skip("the plugin makes the event itself")
    assert all_are(judged(agent(name), written[name], event), "blocked")


@pytest.mark.parametrize("name", EACH)
def test_c22_a_byte_order_mark_changes_nothing(name, written):
    if name == "opencode":
        pytest.skip("the plugin makes the event itself")
    target = agent(name)
    for command, judgement in (("rm x", "blocked"), ("ls", "ran")):
        event = b"\xef\xbb\xbf" + json.dumps(target.samples.pre("shell.exec", command)).encode()
        assert all_are(judged(target, written[name], event), judgement)


@pytest.mark.parametrize("name", EACH)
def test_an_unknown_permission_mode_changes_nothing(name, written):
    target = agent(name)
    if target.samples.unknown_mode is None:
        pytest.skip("the agent sends no permission mode")
    assert all_are(
        judged(target, written[name], target.samples.unknown_mode("shell.exec", "rm x")), "blocked"
    )


@pytest.mark.parametrize("name", EACH)
def test_after_a_call_nothing_is_blocked(name, written):
    if name == "opencode":
        pytest.skip("the plugin has no hook after a call")
    target = agent(name)
    [found, *_] = [run(hook, written[name], target.samples.post()) for hook in target.hooks(written[name])]
    assert found.exit_code == 0
    assert target.judge(found) == "ran"


@pytest.fixture
def damaged(written, tmp_path):
    """A copy of an agent's files to damage."""

    def copy(name):
        return shutil.copytree(written[name], tmp_path / "my repo", symlinks=True)

    return copy


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("lost", ["plan.json", "gate.py", "policyc"])
def test_a_gate_with_a_part_missing_blocks(name, lost, damaged):
    folder = damaged(name)
    part = folder / ".policyc" / "gate" / lost
    shutil.rmtree(part) if part.is_dir() else part.unlink()
    target = agent(name)
    assert all_are(judged(target, folder, target.samples.pre("shell.exec", "ls")), "blocked")


#: Interpreters that are not Python 3: missing, the Windows Store's stub (C15), one that says yes to anything.
INTERPRETERS = {"missing": None, "stub": "exit 49", "silent": "exit 1", "crashing": "kill -SEGV $$"}


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("kind", INTERPRETERS)
def test_c15_a_wrong_interpreter_blocks(name, kind, tmp_path):
    python = tmp_path / "python3"
    if INTERPRETERS[kind] is not None:
        python.write_text(f"#!/bin/sh\n{INTERPRETERS[kind]}\n")
        python.chmod(0o755)
    target, folder = agent(name), tmp_path / "repo"
    write_files(without_gate(generate_hooks(bundle(), name, Options(str(python)))), folder)
    # exec form: the agent itself cannot start what is not there, which is a failure of the hook.
    hooks = target.hooks(folder)
    if kind == "missing" and name == "claude-code":
        with pytest.raises(FileNotFoundError):
            run(hooks[0], folder, b"")
        return
    assert all_are(judged(target, folder, target.samples.pre("shell.exec", "ls")), "blocked")


@pytest.mark.parametrize("name", EACH)
def test_c07_a_gate_that_hangs_denies_before_the_host_gives_up(name, damaged):
    """The plan is a pipe that nobody writes to; the deadline is made short."""
    folder = damaged(name)
    _shorten_deadlines(folder)
    plan = folder / ".policyc" / "gate" / "plan.json"
    plan.unlink()
    os.mkfifo(plan)
    target = agent(name)
    assert all_are(judged(target, folder, target.samples.pre("shell.exec", "ls")), "blocked")


def _shorten_deadlines(folder):
    changed = 0
    for path in folder.rglob("*"):
        if path.is_file() and ".policyc" not in path.parts:
            text = path.read_text()
            short = text.replace("--deadline 20", "--deadline 1").replace('"20"', '"1"')
            changed += short != text
            path.write_text(short)
    assert changed


@NEEDS_NODE
def test_the_plugin_itself_gives_up_on_a_gate_that_hangs(tmp_path):
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    write_files(without_gate(generate_hooks(bundle(), "opencode", Options(str(python)))), tmp_path)
    plugin = tmp_path / ".opencode/plugins/policyc.js"
    text = plugin.read_text()
    plugin.write_text(text.replace("= 30000", "= 300"))
    assert plugin.read_text() != text
    target = agent("opencode")
    [found] = [
        run(hook, tmp_path, target.samples.pre("shell.exec", "ls"), timeout=30)
        for hook in target.hooks(tmp_path)
    ]
    assert (found.exit_code, found.timed_out) == (2, False)
    assert "took too long" in found.stderr


@NEEDS_NODE
def test_a_plugin_that_cannot_be_loaded_lets_calls_run(damaged):
    folder = damaged("opencode")
    (folder / ".opencode/plugins/policyc.js").write_text("export const Policyc = (")
    target = agent("opencode")
    assert judged(target, folder, target.samples.pre("shell.exec", "rm x")) == ["ran"]


@NEEDS_NODE
@pytest.mark.parametrize(
    ("servers", "judgement"),
    [(None, "blocked"), ({"payments": {}}, "blocked"), ({"payments_old": {}}, "ran"), ({}, "ran")],
)
def test_the_plugin_tells_the_gate_which_servers_there_are(servers, judgement, written):
    """Unknown servers have every reading; known ones have one."""
    target = agent("opencode")
    event = {"tool": "payments_old_send", "args": {}, "session_id": "s", "mcp": servers}
    assert judged(target, written["opencode"], event) == [judgement]


@NEEDS_NODE
def test_the_plugin_says_why(written):
    target = agent("opencode")
    [hook] = target.hooks(written["opencode"])
    found = run(hook, written["opencode"], target.samples.pre("shell.exec", "rm x"))
    assert "Nothing is deleted here." in found.stderr


@NEEDS_NODE
def test_the_plugin_puts_in_what_the_policy_rewrites(tmp_path):
    python = tmp_path / "python3"
    python.write_text(
        """#!/bin/sh\ncat >/dev/null; echo '{"decision": "allow", "args": {"command": "safe"}}'\n"""
    )
    python.chmod(0o755)
    write_files(without_gate(generate_hooks(bundle(), "opencode", Options(str(python)))), tmp_path)
    target = agent("opencode")
    [hook] = target.hooks(tmp_path)
    found = run(hook, tmp_path, target.samples.pre("shell.exec", "echo hunter2"))
    assert (found.exit_code, json.loads(found.stdout)) == (0, {"args": {"command": "safe"}})
