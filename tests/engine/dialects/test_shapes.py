"""Each payload goes to exactly one dialect."""

import ast
import subprocess
import sys

import agent_payloads as agents
import pytest
from agent_payloads import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.calls import CallError
from policyc.engine.dialects import MODULES, detect, load, owners
from policyc.engine.dialects.tool_owners import OWNERS

TARGETS = {
    "managed", "agy", "claude-code", "gemini-cli", "cursor", "codex", "copilot", "vscode", "windsurf", "kiro",
    "qwen", "opencode", "cline",
}  # fmt: skip
IDS = [f"{number} {target} {event}" for number, (target, event, _payload) in enumerate(SAMPLES)]


def test_every_target_has_a_dialect_of_its_name():
    assert set(MODULES) == TARGETS
    assert [load(name).name for name in MODULES] == list(MODULES)
    assert {target for target, _event, _payload in SAMPLES} == TARGETS


@pytest.mark.parametrize(("target", "event", "payload"), SAMPLES, ids=IDS)
def test_a_payload_is_recognised_by_its_own_dialect_and_by_no_other(target, event, payload):
    assert [name for name in MODULES if load(name).recognises(payload)] == [target]
    assert load(target).event(payload) == event
    assert detect(payload, None).name == target
    assert detect(payload, target).name == target


#: Who else a payload of an agent may be taken for, if that is the target that is named.
SHARED = {"claude-code": {"qwen"}, "vscode": {"copilot"}, "copilot": {"vscode"}, "qwen": set()}


@pytest.mark.parametrize("named", sorted(TARGETS))
@pytest.mark.parametrize(("target", "payload"), [(row[0], row[2]) for row in SAMPLES], ids=IDS)
def test_a_payload_that_clearly_is_anothers_wins(target, payload, named):
    if tuple(payload) in (
        ("tool_name", "tool_input", "cwd"),
        ("hook_event_name", "cwd", "tool_name", "tool_input"),
    ):
        return  # nothing but the name of the tool tells
    found = detect(payload, named).name
    assert found == target or (found == named and named in SHARED.get(target, ()))


#: A payload with a key that another agent is told by, as a new version may send it.
GROWN = [
    ("kiro", agents.kiro("execute_bash", {"command": "ls"}) | {"conversation_id": "c"}),
    ("gemini-cli", agents.gemini("replace", {"file_path": "a"}) | {"tool_call_id": "c"}),
    ("vscode", agents.vscode("run_in_terminal", {"command": "ls"}) | {"turn_id": "t"}),
    ("vscode", agents.vscode("run_in_terminal", {"command": "ls"}) | {"permission_mode": "default"}),
    ("qwen", agents.claude("run_shell_command", {"command": "ls"})),
]


@pytest.mark.parametrize(("target", "payload"), GROWN)
def test_one_key_of_anothers_makes_no_unknown_tool_of_the_targets_own(target, payload):
    found = detect(payload, target)
    assert found.name == target
    assert found.read(payload).canonical in ("shell.exec", "fs.edit")
    assert detect(payload, None).name != target


def test_clines_call_without_the_name_of_the_hook_is_no_unknown_tool_of_the_managed_agent():
    payload = agents.cline_sdk("run_commands", {"commands": ["ls"]})
    del payload["hookName"]
    assert detect(payload, "cline").name == detect(payload, "managed").name == "cline"


def test_a_named_event_before_a_tool_is_none_after_it():
    for key in ("toolResult", "postToolUse"):
        assert load("codex").event(agents.codex("Bash", {"command": "ls"}) | {key: {}}) == "pre"


@given(st.sampled_from(SAMPLES), st.dictionaries(st.text(max_size=12), st.none() | st.text(max_size=3)))
def test_what_the_model_wrote_does_not_move_a_payload(sample, planted):
    target, _event, payload = sample
    changed = dict(payload)
    for key in ("tool_input", "toolArgs", "args"):
        if isinstance(changed.get(key), dict):
            changed[key] = {**changed[key], **planted, "turn_id": "x", "cursor_version": "1"}
    assert detect(changed, None).name == target


@pytest.mark.parametrize("payload", [{}, {"x": 1}, [], None, "Bash", 7, {"hello": {"tool_name": "Bash"}}])
def test_what_is_nobodys_is_the_named_ones_or_none(payload):
    assert detect(payload, None) is None
    assert detect(payload, "unheard-of") is None
    assert detect(payload, "codex").name == "codex"


@pytest.mark.parametrize(
    ("tool", "target"),
    [
        ("Bash", "claude-code"),
        ("apply_patch", "codex"),
        ("bash", "copilot"),
        ("view", "copilot"),
        ("Shell", "cursor"),
        ("run_shell_command", "gemini-cli"),
        ("code_execution", "managed"),
        ("mcp_my_server_delete_all", "gemini-cli"),
        ("mcp__linear__create_issue", "claude-code"),
        ("editFiles", "vscode"),
        ("fs_read", "kiro"),
        ("@git/status", "kiro"),
        ("unheard_of", "claude-code"),
        ([], "claude-code"),
    ],
)
def test_the_bare_form_is_told_by_the_tools_name(tool, target):
    payload = {"tool_name": tool, "tool_input": {}, "cwd": "/w"}
    assert detect(payload, None).name == target
    assert detect(payload, "qwen").name == "qwen"


@pytest.mark.parametrize(
    "payload",
    [
        agents.cursor("beforeSubmitPrompt", prompt="x"),
        {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/w", "source": "startup"},
        agents.windsurf("pre_user_prompt", user_prompt="x"),
        {"hookName": "TaskStart", "clineVersion": "3", "taskStart": {}},
    ],
)
def test_an_event_about_no_tool_leaves_nothing_to_decide(payload):
    assert load("claude-code").event(payload) == "other"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"hook_event_name": "PreToolUse"},
        {"hook_event_name": "beforeShellExecution"},
        {"hook_event_name": None, "session_id": "s"},
        {"hookName": "PreToolUse", "clineVersion": "3"},
        {"hook_event_name": "SomethingNew", "tool_name": "Bash"},
        agents.windsurf("pre_something_new"),
        agents.windsurf("something_new"),
    ],
)
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_half_an_event_is_one_before_a_tool_and_cannot_be_read(target, payload):
    assert load(target).event(payload) == "pre"
    with pytest.raises(CallError):
        load(target).read(payload)


def test_owners_are_what_the_dialects_say():
    found = {}
    for name in MODULES:
        for tool in load(name).tools:
            found.setdefault(tool, []).append(name)
    assert {tool: list(names) for tool, names in OWNERS.items()} == found
    assert [dialect.name for dialect in owners("run_shell_command")] == ["gemini-cli", "qwen"]
    assert owners("unheard_of") == []


@pytest.mark.parametrize("target", ["managed", "cursor", "windsurf"])
def test_only_the_dialect_at_hand_is_imported(target):
    program = (
        "import sys\nfrom policyc.engine import dialects\n"
        f"dialects.detect({{}}, {target!r})\n"
        "loaded = [name for name in sys.modules if name.startswith('policyc.engine.dialects.')]\n"
        "print([name for name in dialects.MODULES.values() if f'policyc.engine.dialects.{name}' in loaded])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == [MODULES[target]]
