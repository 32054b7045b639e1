"""Settings that are there: nothing of others is touched, lost or written again."""

import json
import os
import stat

import pytest
from hooks.agents.bundles import AGENTS, bundle, without_gate

from policyc.hooks.errors import CODES, HooksError
from policyc.hooks.generate import agent, generate_hooks
from policyc.hooks.write import drift, planned, write_files

#: Settings as people have them, and where each agent's are.
CLAUDE = """\
{
    "$schema": "https://json.schemastore.org/claude-code-settings.json",
    "model": "opus",
    "permissions": {
        "allow": ["Bash(npm run test:*)", "Read(~/.zshrc)"],
        "deny": ["Read(./.env)", "WebFetch"],
        "defaultMode": "acceptEdits"
    },
    "env": {"FOO": "b\\u00e4r", "EMPTY": ""},
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "~/bin/my-guard", "timeout": 5}]}
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
    },
    "statusLine": {"type": "command", "command": "~/.claude/statusline.sh", "padding": 0}
}
"""
GEMINI = """\
{
  // the theme of the team
  "ui": { "theme": "GitHub" },
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] }, /* local */
  },
  "hooks": {
    "BeforeTool": [
      { "matcher": "write_file", "hooks": [{ "type": "command", "command": "./lint.sh", "timeout": 5000 }] }
    ]
  }
}
"""
CURSOR = """\
{
\t"version": 1,
\t"hooks": {
\t\t"beforeShellExecution": [{ "command": "./hooks/audit.sh" }],
\t\t"afterFileEdit": [{ "command": "./hooks/format.sh" }]
\t}
}
"""
AGY = '{"lint": {"PostToolUse": [{"matcher": "write_to_file", "hooks": [{"type": "command"}]}]}}'
OPENCODE = """\
{
  "$schema": "https://opencode.ai/config.json",
  "permission": { "bash": { "*": "ask", "git *": "allow" }, "webfetch": "ask" },
  "mcp": {}
}
"""
WINDSURF = (
    '{\n  "hooks": {\n    "pre_run_command": [{"command": "python3 mine.py", "show_output": true}]\n  }\n}'
)
KIRO = '{"name": "policyc", "tools": ["fs_read"], "hooks": {"agentSpawn": [{"command": "git status"}]}}\n'
EXISTING = {
    "claude-code": (".claude/settings.json", CLAUDE),
    "gemini-cli": (".gemini/settings.json", GEMINI),
    "qwen": (".qwen/settings.json", GEMINI.replace("BeforeTool", "PreToolUse")),
    "codex": (".codex/hooks.json", '{"hooks": {"PreToolUse": [{"matcher": "^Bash$", "hooks": []}]}}'),
    "cursor": (".cursor/hooks.json", CURSOR),
    "agy": (".agents/hooks.json", AGY),
    "windsurf": (".windsurf/hooks.json", WINDSURF),
    "kiro": (".kiro/agents/policyc.json", KIRO),
    "opencode": ("opencode.json", OPENCODE),
}


@pytest.fixture
def existing(tmp_path):
    """Puts a settings file of an agent in place, as text or bytes."""

    def put(name, content=None):
        path, text = EXISTING[name]
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = text if content is None else content
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    return put


def generated(name, **changes):
    return without_gate(generate_hooks(bundle(**changes), name))


def test_every_agent_that_merges_is_here():
    assert set(EXISTING) == {name for name in AGENTS if generated(name).merged}


@pytest.mark.parametrize("name", EXISTING)
def test_every_line_of_others_stays_as_it_was(name, existing, tmp_path):
    path = existing(name)
    before = path.read_text().splitlines()
    write_files(generated(name), tmp_path)
    after = path.read_text()
    # A line may go on with ours: a comma, and in a list on one line the entry itself.
    assert all(line.rstrip(",]}") in after for line in before)
    assert sum(line not in after.splitlines() for line in before) <= 2
    for word in ("my-guard", "./lint.sh", "audit.sh", "format.sh", "write_to_file", "mine.py", "git status"):
        assert (word in "".join(before)) == (word in after)


@pytest.mark.parametrize("name", EXISTING)
def test_the_hooks_are_there_and_a_second_run_changes_nothing(name, existing, tmp_path):
    path = existing(name)
    assert drift(generated(name), tmp_path)
    write_files(generated(name), tmp_path)
    first = path.read_bytes()
    assert drift(generated(name), tmp_path) == []
    write_files(generated(name), tmp_path)
    assert path.read_bytes() == first
    assert agent(name).hooks(tmp_path)


@pytest.mark.parametrize("name", EXISTING)
def test_what_we_wrote_earlier_is_replaced(name, existing, tmp_path):
    path = existing(name)
    write_files(generated(name, server=True), tmp_path)
    write_files(generated(name), tmp_path)
    once = path.read_text()
    assert "policy.example.com" not in once
    path.write_text(once.replace("--deadline 20", "--deadline 25").replace('"20"', '"25"'))
    if name != "opencode":
        assert drift(generated(name), tmp_path)
    write_files(generated(name), tmp_path)
    assert path.read_text() == once


def test_the_place_of_ours_is_kept(existing, tmp_path):
    path = existing("claude-code")
    write_files(generated("claude-code"), tmp_path)
    document = json.loads(path.read_text())
    document["hooks"]["PreToolUse"].reverse()
    path.write_text(json.dumps(document, indent=4))
    assert drift(generated("claude-code"), tmp_path) == []


def test_a_hook_that_someone_put_into_our_group_stays(existing, tmp_path):
    path = existing("claude-code", "{}")
    write_files(generated("claude-code"), tmp_path)
    document = json.loads(path.read_text())
    document["hooks"]["PreToolUse"][0]["hooks"].append({"type": "command", "command": "mine"})
    path.write_text(json.dumps(document))
    write_files(generated("claude-code"), tmp_path)
    assert path.read_text().count("gate.py") == 1
    assert '"command": "mine"' in path.read_text()


def test_permission_rules_of_others_stay_when_ours_go(existing, tmp_path):
    path = existing("claude-code")
    write_files(generated("claude-code"), tmp_path)
    deny = json.loads(path.read_text())["permissions"]["deny"]
    assert deny == ["Read(./.env)", "WebFetch", "mcp__my_crm__delete_all", "mcp__payments"]
    write_files(generated("claude-code", rules=[]), tmp_path)
    assert json.loads(path.read_text())["permissions"]["deny"] == ["Read(./.env)", "WebFetch"]


def test_a_lost_record_leaves_rules_alone(existing, tmp_path):
    path = existing("claude-code", "{}")
    write_files(generated("claude-code"), tmp_path)
    (tmp_path / ".policyc/native/claude-code.json").write_text("damaged")
    write_files(generated("claude-code", rules=[]), tmp_path)
    assert "WebFetch" in json.loads(path.read_text())["permissions"]["deny"]


def test_opencode_keys_of_others_are_left_and_said(existing, tmp_path):
    path = existing("opencode")
    assert planned(generated("opencode"), tmp_path).notes == [
        "opencode.json: permission.webfetch was there and was left as it is."
    ]
    write_files(generated("opencode"), tmp_path)
    assert path.read_text() == OPENCODE
    path.write_text('{"permission": "allow"}')
    assert "left so" in planned(generated("opencode"), tmp_path).notes[0]
    path.write_text('{"permission": {"read": "ask"}}')
    write_files(generated("opencode"), tmp_path)
    assert json.loads(path.read_text())["permission"] == {"read": "ask", "webfetch": "deny"}
    write_files(generated("opencode", rules=[]), tmp_path)
    assert json.loads(path.read_text())["permission"] == {"read": "ask"}


@pytest.mark.parametrize("name", ["claude-code", "qwen"])
def test_hooks_that_are_switched_off_are_said(name, existing, tmp_path):
    existing(name, '{"disableAllHooks": true}')
    [note] = planned(generated(name), tmp_path).notes
    assert "disableAllHooks is true: no hook runs." in note


DAMAGED = {
    "cut off": ('{"hooks": {"PreToolUse": [', "line 1"),
    "empty": ("", "a value was expected"),
    "no object": ("[]", "the top level is not an object"),
    "a key twice": ('{"a": 1, "a": 2}', "is there twice"),
    "no UTF-8": (b'{"a": "\xff"}', "byte 7 is not UTF-8"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "is not UTF-8"),
    "hooks is a list": ('{"hooks": []}', "`hooks` is not an object"),
    "hooks is null": ('{"hooks": null}', "`hooks` is not an object"),
    "an event is an object": ('{"hooks": {"PreToolUse": {}}}', "`hooks.PreToolUse` is not a list"),
    "an entry is no object": (
        '{"hooks": {"PreToolUse": [null]}}',
        "`hooks.PreToolUse` is not a list of objects",
    ),
    "deny is a text": ('{"permissions": {"deny": "WebFetch"}}', "`deny` is not a list of texts"),
    "permissions is a list": ('{"permissions": []}', "`permissions` is not an object"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_refused_and_nothing_is_written(kind, existing, tmp_path):
    content, why = DAMAGED[kind]
    path = existing("claude-code", content)
    before = path.read_bytes()
    for use in (write_files, drift):
        with pytest.raises(HooksError) as error:
            use(generated("claude-code"), tmp_path)
        assert error.value.code == "settings_invalid"
        assert ".claude/settings.json is left as it is" in error.value.message
        assert why in error.value.message
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == [".claude"]


def test_a_refusal_says_what_to_add(existing, tmp_path):
    existing("cursor", "{")
    with pytest.raises(HooksError, match=r'What to add: .*"failClosed": true'):
        write_files(generated("cursor"), tmp_path)
    assert CODES["settings_invalid"].endswith("Nothing was written.")


def test_a_comment_that_would_be_lost_is_a_refusal(existing, tmp_path):
    path = existing("gemini-cli")
    write_files(generated("gemini-cli"), tmp_path)
    assert "// the theme of the team" in path.read_text()
    text = path.read_text().replace('"name": "policyc",', '"name": "policyc", // do not touch')
    path.write_text(text.replace("gate.py --target", "gate.py --old --target"))
    write_files(generated("gemini-cli"), tmp_path)
    assert "// do not touch" in path.read_text()
    path.write_text('{"hooks": {"Old": [{"hooks": [/* why */ {"command": ".policyc/gate/gate.py"}]}]}}')
    with pytest.raises(HooksError, match="a comment stands where"):
        write_files(generated("gemini-cli"), tmp_path)


def test_a_byte_order_mark_and_line_ends_stay(existing, tmp_path):
    path = existing("claude-code", b'\xef\xbb\xbf{\r\n  "model": "opus"\r\n}\r\n')
    write_files(generated("claude-code"), tmp_path)
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf{\r\n")
    assert content.count(b"\n") == content.count(b"\r\n")
    assert agent("claude-code").hooks(tmp_path)


def test_a_link_is_followed_and_stays_a_link(existing, tmp_path):
    path = existing("claude-code")
    elsewhere = tmp_path / "dotfiles.json"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    write_files(generated("claude-code"), tmp_path)
    assert path.is_symlink()
    assert "gate.py" in elsewhere.read_text()


def test_a_read_only_file_is_left(existing, tmp_path):
    path = existing("claude-code")
    path.chmod(0o444)
    with pytest.raises(HooksError, match=r"\.claude/settings\.json is read-only"):
        write_files(generated("claude-code"), tmp_path)
    assert path.read_text() == CLAUDE


def test_a_folder_in_the_place_of_settings(tmp_path):
    (tmp_path / ".claude/settings.json").mkdir(parents=True)
    with pytest.raises(HooksError, match="cannot read"):
        write_files(generated("claude-code"), tmp_path)


def test_the_mode_of_settings_stays(existing, tmp_path):
    path = existing("claude-code")
    path.chmod(0o600)
    write_files(generated("claude-code"), tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_executed_is_drift(tmp_path):
    write_files(generated("cline"), tmp_path)
    path = tmp_path / ".clinerules/hooks/PreToolUse"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    path.chmod(0o644)
    assert drift(generated("cline"), tmp_path) == [".clinerules/hooks/PreToolUse is not executable"]
    write_files(generated("cline"), tmp_path)
    assert os.access(path, os.X_OK)


MANAGED = (
    '{"gate": {"pre_tool_execution": [{"matcher": "*", "hooks": [{"type": "command", "command": "x"}]}]}}'
)


def test_the_two_products_that_read_one_file_are_never_mixed(existing, tmp_path):
    path = existing("agy", MANAGED)
    with pytest.raises(HooksError, match="'gate' has the events of the managed agent"):
        write_files(generated("agy"), tmp_path)
    assert path.read_text() == MANAGED
    existing("agy", AGY)
    with pytest.raises(HooksError, match="'lint' is for another agent"):
        write_files(generate_hooks(bundle(), "managed"), tmp_path)
    assert path.read_text() == AGY


def test_the_plan_of_another_bundle_does_not_give_way_in_silence(tmp_path):
    write_files(generate_hooks(bundle(), "claude-code"), tmp_path)
    other = generate_hooks({**bundle(), "bundle": "other"}, "cursor")
    assert planned(generate_hooks(bundle(), "cursor"), tmp_path).notes == []
    (note,) = planned(other, tmp_path).notes
    assert "'other'" in note
    (tmp_path / ".policyc/gate/plan.json").write_text("[]")
    assert planned(other, tmp_path).notes == []
