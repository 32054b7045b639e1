"""Public reports of hooks that were wired and did not hold, where the configuration decides.

The ids are those of the collection that they were found in; each names its report."""

import json
import re
import shlex
import sys

import pytest
from builders import clause, rule
from hooks.agents.bundles import AGENTS, bundle, denies, without_gate
from hooks.agents.processes import judged, run

from policyc.hooks.command_line import command_line
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import agent, generate_hooks
from policyc.hooks.target import GATE_FOLDER, Options
from policyc.hooks.write import write_files

#: The timeout as each agent's unit has it, in seconds.
IN_SECONDS = {"timeout": 1, "timeoutSec": 1, "timeout_ms": 1000}
MILLISECONDS = ("gemini-cli", "qwen")


def hooks_of(name, folder, **changes):
    write_files(without_gate(generate_hooks(bundle(**changes), name)), folder)
    return agent(name).hooks(folder)


def deadline(hook):
    words = hook.command if isinstance(hook.command, list) else shlex.split(hook.command.split("||")[0])
    return int(words[words.index("--deadline") + 1])


@pytest.mark.parametrize("name", [name for name in AGENTS if name not in ("cline", "opencode")])
def test_c07_the_gates_deadline_is_below_the_agents_own_timeout(name, tmp_path):
    """anthropics/claude-code#84302: a hook that is killed lets the call run."""
    for hook in hooks_of(name, tmp_path):
        assert deadline(hook) < hook.timeout
        for key, unit in IN_SECONDS.items():
            if key in hook.entry:
                factor = 1000 if name in MILLISECONDS else unit
                assert hook.entry[key] == hook.timeout * factor == 30 * factor


@pytest.mark.parametrize("name", ["codex", "gemini-cli", "windsurf", "kiro", "qwen", "vscode"])
def test_c08_a_crash_becomes_exit_code_2_with_a_text(name, tmp_path):
    """openai/codex#41979: crash, timeout and unparseable output each let the command run."""
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\nkill -SEGV $$\n")
    python.chmod(0o755)
    generated = without_gate(generate_hooks(bundle(), name, Options(str(python))))
    write_files(generated, tmp_path)
    for hook in agent(name).hooks(tmp_path):
        found = run(hook, tmp_path, b"{}")
        assert (found.exit_code, found.stdout) == (2, "")
        assert "policyc: this call is denied" in found.stderr


def test_c06_the_native_rule_backs_a_server_whose_hooks_may_not_run(tmp_path):
    """anthropics/claude-code#85479: PreToolUse was reported not to run before MCP calls on Windows."""
    hooks_of("claude-code", tmp_path)
    assert (
        "mcp__payments" in json.loads((tmp_path / ".claude/settings.json").read_text())["permissions"]["deny"]
    )


def test_c10_a_patch_to_the_hooks_is_denied(tmp_path):
    """openai/codex#26733, #27833, #23411."""
    clauses = [clause("$.path", "path", [".codex/**", ".policyc/**"])]
    protected = rule(tools=["fs.write", "fs.edit", "fs.delete"], clauses=clauses)
    write_files(generate_hooks(bundle(rules=[protected]), "codex", Options(sys.executable)), tmp_path)
    target = agent("codex")
    for path, judgement in (
        (".codex/hooks.json", "blocked"),
        (".policyc/gate/plan.json", "blocked"),
        ("a", "ran"),
    ):
        event = target.samples.pre("fs.write", path)
        assert event["tool_name"] == "apply_patch"
        assert set(judged(target, tmp_path, event)) == {judgement}


def test_c12_the_hooks_of_parallel_calls_have_time(tmp_path):
    """github/copilot-cli#2893: they run one after another on one clock, and what is late runs."""
    [hook] = hooks_of("copilot", tmp_path)
    assert hook.entry["timeoutSec"] == 30


@pytest.mark.parametrize("name", AGENTS)
def test_c13_one_process_decides_whatever_the_number_of_rules(name, tmp_path):
    """rjmurillo/ai-agents#2295: one process for each rule, and guards killed on most runs."""
    rules = [denies({"program": f"x{number}"}, label=f"r{number}") for number in range(40)]
    assert len(hooks_of(name, tmp_path, rules=rules)) == (2 if name == "kiro" else 1)


def test_c14_claude_code_starts_the_gate_without_a_shell(tmp_path):
    """anthropics/claude-code#21992: a profile that prints makes a deny unreadable."""
    [hook] = hooks_of("claude-code", tmp_path)
    assert hook.command[:3] == ["python3", "-I", "-S"]
    assert hook.entry["command"] == "python3"


WINDOWS = "C:\\Program Files\\Python\\python.exe"


@pytest.mark.parametrize("name", AGENTS)
def test_c16_paths_have_forward_slashes_and_quotes(name, tmp_path):
    """rtk-ai/rtk#3632: unquoted backslashes are lost in Git Bash, and 14,844 of about 14,885 calls ran."""
    write_files(without_gate(generate_hooks(bundle(), name, Options(WINDOWS))), tmp_path)
    texts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert any("C:/Program Files/Python/python.exe" in text for text in texts)
    assert not any("Files\\" in text for text in texts)
    if name not in ("claude-code", "opencode", "cline"):
        for hook in agent(name).hooks(tmp_path):
            assert shlex.split(hook.command)[0] == "C:/Program Files/Python/python.exe"


@pytest.mark.parametrize("python", ['a"b', "$HOME/python3", "`id`", "%PATH%", "a\nb"])
def test_c16_what_no_shell_quotes_alike_is_refused(python):
    with pytest.raises(HooksError) as error:
        generate_hooks(bundle(), "codex", Options(python))
    assert error.value.code == "path_invalid"


@pytest.mark.parametrize("argument", ["a b", "C:/x y/z", "a'b", "(x)", "a&b", "x;y", "#x", "", "*"])
def test_c16_a_quoted_argument_is_the_same_to_a_shell(argument):
    assert shlex.split(command_line(["x", argument])) == ["x", argument]


def test_c19_the_notes_say_that_rules_of_opencode_are_not_enough():
    """anomalyco/opencode#23045, #49347."""
    assert any("gateway in front of MCP" in note for note in generate_hooks(bundle(), "opencode").notes)


def test_c21_cursor_is_never_asked(tmp_path):
    """forum.cursor.com/t/144244: its own lists override an ask."""
    held = denies({"program": "curl"}, verdict="pending_approval")
    write_files(generate_hooks(bundle(rules=[held]), "cursor", Options(sys.executable)), tmp_path)
    target = agent("cursor")
    [hook] = target.hooks(tmp_path)
    found = run(hook, tmp_path, target.samples.pre("shell.exec", "curl https://x.example -o a.sh"))
    assert json.loads(found.stdout)["permission"] == "deny"


def test_c22_cursor_fails_closed_in_every_event(tmp_path):
    """forum.cursor.com/t/168407: what cannot be parsed let the call run."""
    hooks_of("cursor", tmp_path)
    entries = json.loads((tmp_path / ".cursor/hooks.json").read_text())["hooks"].values()
    assert [entry["failClosed"] for event in entries for entry in event] == [True] * 4


NAMES = ("Shell", "Read", "Write", "M", "MC", "MCP", "MCP_x", "MPC:x", "Task", "mcp:x", "\u00e9")


@pytest.mark.parametrize("matches", [re.search, re.fullmatch])
def test_cursor_decides_mcp_tools_where_the_server_is_named(matches, tmp_path):
    hooks_of("cursor", tmp_path)
    events = json.loads((tmp_path / ".cursor/hooks.json").read_text())["hooks"]
    matcher = events["preToolUse"][0]["matcher"]
    assert all(matches(matcher, name) for name in NAMES)
    assert not any(matches(matcher, name) for name in ("MCP:create_issue", "MCP:", "MCP:MCP:x"))
    assert "matcher" not in events["beforeMCPExecution"][0]


def test_no_matcher_is_a_star_where_matchers_are_regular_expressions(tmp_path):
    """An invalid matcher skips the hook, or drops its group."""
    for name, path in (("copilot", ".github/hooks/policyc.json"), ("codex", ".codex/hooks.json")):
        hooks_of(name, tmp_path)
        assert "matcher" not in (tmp_path / path).read_text()
    hooks_of("kiro", tmp_path)
    assert '"matcher": ".*"' in (tmp_path / ".kiro/hooks/policyc.json").read_text()


@pytest.mark.parametrize("name", AGENTS)
def test_the_gate_is_named_in_every_hook(name, tmp_path):
    for hook in hooks_of(name, tmp_path):
        path = tmp_path / ".opencode/plugins/policyc.js" if name == "opencode" else None
        text = path.read_text() if path else json.dumps(hook.command)
        if name == "cline":
            text = (tmp_path / ".clinerules/hooks/PreToolUse").read_text()
        assert f"{GATE_FOLDER}/gate.py" in text
        assert name in text
