"""What rules see of each agent's calls: names, acting arguments, workspace."""

# Rows of a table stay on their lines.
# ruff: noqa: E501

import json

import agent_payloads as agents
import pytest
from agent_payloads import PATCH
from builders import clause, plan, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.calls import CallError, read_call
from policyc.engine.dialects import MODULES, detect, load
from policyc.engine.evaluate import Evaluator
from policyc.engine.walk import decide

KEYS = {"shell": "command", "fs": "path", "http": "url"}


def seen(payload):
    """Per part: canonical name and what it acts on."""
    call = detect(payload, None).read(payload)
    parts = [(part.canonical, part.args[KEYS[part.canonical.partition(".")[0]]]) for part in call.parts]
    return parts[0] if len(parts) == 1 else parts


def edits(*texts):
    return [{"old_string": "x", "new_string": text} for text in texts]


ONE = [
    ("managed shell", agents.managed("code_execution", {"code": "ls"}), ("shell.exec", "ls")),
    ("managed file", agents.managed("write_file", {"path": "a", "content": "x"}), ("fs.write", "a")),
    ("agy shell", agents.agy("run_command", {"CommandLine": "ls"}), ("shell.exec", "ls")),
    ("agy read", agents.agy("view_file", {"AbsolutePath": "/a"}), ("fs.read", "/a")),
    ("agy write", agents.agy("write_to_file", {"TargetFile": "/a", "CodeContent": "x"}), ("fs.write", "/a")),
    ("agy edit", agents.agy("replace_file_content", {"TargetFile": "/a"}), ("fs.edit", "/a")),
    ("agy url", agents.agy("read_url_content", {"Url": "https://e.example"}), ("http.fetch", "https://e.example")),
    ("claude", agents.claude("Edit", {"file_path": "/a"}), ("fs.edit", "/a")),
    ("claude several edits", agents.claude("MultiEdit", {"file_path": "/a", "edits": []}), ("fs.edit", "/a")),
    ("claude notebook", agents.claude("NotebookEdit", {"notebook_path": "/a.ipynb"}), ("fs.edit", "/a.ipynb")),
    ("copilot editor", agents.copilot("str_replace_editor", {"command": "insert", "path": "a"}), ("fs.edit", "a")),
    ("copilot editor, new", agents.copilot("str_replace_editor", {"command": "create", "path": "a"}), ("fs.write", "a")),
    ("copilot editor, look", agents.copilot("str_replace_editor", {"command": "view", "path": "a"}), ("fs.read", "a")),
    ("copilot patch", agents.copilot("apply_patch", {"input": "*** Delete File: a"}), ("fs.delete", "a")),
    ("vscode notebook", agents.vscode("edit_notebook_file", {"filePath": "/a"}), ("fs.edit", "/a")),
    (
        "vscode several edits",
        agents.vscode("multi_replace_string_in_file", {"replacements": [{"filePath": "/a"}]}),
        ("fs.edit", "/a"),
    ),
    ("gemini shell", agents.gemini("run_shell_command", {"command": "ls"}), ("shell.exec", "ls")),
    ("gemini read", agents.gemini("read_file", {"file_path": "a"}), ("fs.read", "a")),
    ("gemini replace", agents.gemini("replace", {"file_path": "a"}), ("fs.edit", "a")),
    (
        "gemini fetch",
        agents.gemini("web_fetch", {"prompt": "read https://e.example/x please"}),
        ("http.fetch", "https://e.example/x"),
    ),
    ("codex shell", agents.codex("Bash", {"command": "ls"}), ("shell.exec", "ls")),
    ("copilot text", agents.copilot("bash", '{"command": "ls"}'), ("shell.exec", "ls")),
    ("copilot object", agents.copilot("bash", {"command": "ls"}), ("shell.exec", "ls")),
    ("copilot view", agents.copilot("view", '{"path": "a"}'), ("fs.read", "a")),
    ("copilot create", agents.copilot("create", {"path": "a", "file_text": "x"}), ("fs.write", "a")),
    ("copilot edit", agents.copilot("edit", {"path": "a"}), ("fs.edit", "a")),
    ("copilot as claude, as text", agents.copilot_pascal("bash", '{"command": "ls"}'), ("shell.exec", "ls")),
    ("copilot as claude", agents.copilot_pascal("Read", {"file_path": "/a"}), ("fs.read", "/a")),
    ("vscode shell", agents.vscode("run_in_terminal", {"command": "ls"}), ("shell.exec", "ls")),
    ("copilot as claude, taken for vscode", agents.vscode("Bash", {"command": "ls"}), ("shell.exec", "ls")),
    ("vscode create", agents.vscode("create_file", {"filePath": "/a"}), ("fs.write", "/a")),
    ("vscode patch", agents.vscode("apply_patch", {"input": "*** Delete File: a"}), ("fs.delete", "a")),
    ("qwen", agents.qwen("write_file", {"file_path": "a", "content": "x"}), ("fs.write", "a")),
    (
        "cursor shell",
        agents.cursor("preToolUse", tool_name="Shell", tool_input={"command": "ls"}),
        ("shell.exec", "ls"),
    ),
    (
        "cursor write",
        agents.cursor("preToolUse", tool_name="Write", tool_input={"path": "a", "content": "x"}),
        ("fs.write", "a"),
    ),
    (
        "cursor edit",
        agents.cursor("preToolUse", tool_name="Write", tool_input={"file_path": "a", "edits": edits("x")}),
        ("fs.edit", "a"),
    ),
    (
        "cursor delete",
        agents.cursor("preToolUse", tool_name="Delete", tool_input={"path": "a"}),
        ("fs.delete", "a"),
    ),
    ("cursor shell event", agents.cursor("beforeShellExecution", command="ls", cwd=""), ("shell.exec", "ls")),
    ("cursor file event", agents.cursor("beforeReadFile", file_path="/a", content="x"), ("fs.read", "/a")),
    ("cursor tab", agents.cursor("beforeTabFileRead", file_path="/a", content="x"), ("fs.read", "/a")),
    ("windsurf shell", agents.windsurf("pre_run_command", command_line="ls"), ("shell.exec", "ls")),
    ("windsurf read", agents.windsurf("pre_read_code", file_path="/a"), ("fs.read", "/a")),
    ("kiro shell", agents.kiro("execute_bash", {"command": "ls"}), ("shell.exec", "ls")),
    ("kiro create", agents.kiro("fs_write", {"command": "create", "path": "a", "file_text": "x"}), ("fs.write", "a")),
    ("kiro change", agents.kiro("fs_write", {"command": "str_replace", "path": "a"}), ("fs.edit", "a")),
    ("kiro folder", agents.kiro("fs_read", {"operations": [{"mode": "Directory", "path": "a"}]}), ("fs.list", "a")),
    ("opencode shell", agents.opencode("bash", {"command": "ls"}), ("shell.exec", "ls")),
    ("opencode read", agents.opencode("read", {"filePath": "/a"}), ("fs.read", "/a")),
    ("opencode fetch", agents.opencode("webfetch", {"url": "https://e.example"}), ("http.fetch", "https://e.example")),
    ("cline sdk", agents.cline_sdk("run_commands", {"commands": ["ls"]}), ("shell.exec", "ls")),
    ("cline bare string", agents.cline_sdk("run_commands", "ls"), ("shell.exec", "ls")),
    ("cline cmd", agents.cline_sdk("run_commands", {"cmd": "ls"}), ("shell.exec", "ls")),
    ("cline looks like a list", agents.cline_extension("run_commands", {"command": "[ -f x ] && ls"}), ("shell.exec", "[ -f x ] && ls")),
    ("cline file", agents.cline_extension("read_file", {"path": "a"}), ("fs.read", "a")),
]  # fmt: skip


@pytest.mark.parametrize(("payload", "expected"), [row[1:] for row in ONE], ids=[row[0] for row in ONE])
def test_a_call_that_does_one_thing(payload, expected):
    assert seen(payload) == expected


MANY = [
    (
        "codex patch",
        agents.codex("apply_patch", {"command": PATCH}),
        [
            ("fs.write", "notes/new.md"),
            ("fs.edit", ".codex/hooks.json"),
            ("fs.delete", "old.txt"),
            ("fs.edit", "src/a.py"),
            ("fs.delete", "src/a.py"),
            ("fs.write", "src/b.py"),
        ],
    ),
    (
        "header with white space",
        agents.codex("apply_patch", {"command": "*** Begin Patch\r\n  *** Delete File: a \r\n\t*** Add File: b\n+x"}),
        [("fs.delete", "a"), ("fs.write", "b")],
    ),
    ("vscode files", agents.vscode("editFiles", {"files": ["a", "b"]}), [("fs.edit", "a"), ("fs.edit", "b")]),
    (
        "vscode urls",
        agents.vscode("fetch_webpage", {"urls": ["https://a.example", "https://b.example"]}),
        [("http.fetch", "https://a.example"), ("http.fetch", "https://b.example")],
    ),
    (
        "gemini urls",
        agents.gemini("web_fetch", {"prompt": "compare (https://a.example/x), http://b.example."}),
        [("http.fetch", "https://a.example/x"), ("http.fetch", "http://b.example")],
    ),
    (
        "gemini files",
        agents.gemini("read_many_files", {"include": ["a", "b"]}),
        [("fs.read", "a"), ("fs.read", "b")],
    ),
    (
        "cursor attachments",
        agents.cursor("beforeReadFile", file_path="a", attachments=[{"type": "file", "file_path": "b"}]),
        [("fs.read", "a"), ("fs.read", "b")],
    ),
    (
        "windsurf write",
        agents.windsurf("pre_write_code", file_path="a", edits=edits("x")),
        [("fs.write", "a"), ("fs.edit", "a")],
    ),
    (
        "kiro operations",
        agents.kiro("fs_read", {"operations": [{"mode": "Line", "path": "a"}, {"mode": "Directory", "path": "b"}]}),
        [("fs.read", "a"), ("fs.list", "b")],
    ),
    (
        "kiro images",
        agents.kiro("fs_read", {"operations": [{"mode": "Image", "image_paths": ["a", "b"]}]}),
        [("fs.read", "a"), ("fs.read", "b")],
    ),
    (
        "cline commands",
        agents.cline_sdk("run_commands", {"commands": ["ls", "pwd"]}),
        [("shell.exec", "ls"), ("shell.exec", "pwd")],
    ),
    (
        "cline commands as text",
        agents.cline_extension("run_commands", {"commands": '["ls", "pwd"]'}),
        [("shell.exec", "ls"), ("shell.exec", "pwd")],
    ),
    (
        "cline files",
        agents.cline_sdk("read_files", {"files": [{"path": "a"}, "b"]}),
        [("fs.read", "a"), ("fs.read", "b")],
    ),
    (
        "cline requests",
        agents.cline_sdk("fetch_web_content", {"requests": [{"url": "https://a.example"}, {"url": "https://b.example"}]}),
        [("http.fetch", "https://a.example"), ("http.fetch", "https://b.example")],
    ),
    (
        "a folder for the command",
        agents.gemini("run_shell_command", {"command": "rm -rf x", "dir_path": "it's"}),
        [("shell.exec", "rm -rf x"), ("shell.exec", "cd -- 'it'\\''s'\nrm -rf x")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("payload", "expected"), [row[1:] for row in MANY], ids=[row[0] for row in MANY])
def test_a_call_that_does_several_things(payload, expected):
    assert seen(payload) == expected


@pytest.mark.parametrize("payload", [row[1] for row in MANY], ids=[row[0] for row in MANY])
def test_one_part_that_is_denied_stops_the_whole_call(payload):
    call = read_call(payload)
    for part in call.parts:
        key = KEYS[part.canonical.partition(".")[0]]
        denied = plan([rule(tools=[part.canonical], clauses=[clause(f"$.{key}", "eq", part.args[key])])])
        assert Evaluator(denied).decide(call).verdict == "deny"
        assert decide(denied.policies["p"], call).verdict == "deny"


def test_every_part_has_the_surroundings_and_the_native_arguments():
    payload = agents.codex("apply_patch", {"command": PATCH})
    for part in read_call(payload).parts:
        assert (part.cwd, part.session, part.stage, part.tool) == ("/w", "s", "hook", "apply_patch")
        assert part.native_args == {"command": PATCH}


def test_what_is_put_into_a_file_is_its_content():
    patch = read_call(agents.codex("apply_patch", {"command": PATCH}))
    assert [part.args.get("content") for part in patch.parts] == ["hello\n", "b\n", None, "", None, "y\n"]
    windsurf = read_call(agents.windsurf("pre_write_code", file_path="a", edits=edits("x", "y")))
    assert windsurf.args["content"] == "x\ny"


WORKSPACES = [
    (agents.managed("read_file", {"path": "a"}), "/workspace"),
    (agents.agy("view_file", {"path": "a"}), "/w"),
    (agents.claude("Read", {"file_path": "a"}), "/w"),
    (agents.copilot("view", {"path": "a"}), "/w"),
    (agents.cursor("beforeShellExecution", command="ls", cwd="/elsewhere"), "/w"),
    (agents.cursor("preToolUse", tool_name="Read", tool_input={"path": "a"}, cwd="/x", workspace_roots=[]), "/x"),
    (agents.cursor("preToolUse", tool_name="Read", tool_input={"path": "a"}, cwd="", workspace_roots=[]), None),
    (agents.opencode("read", {"filePath": "a"}), "/w"),
    (agents.cline_sdk("read_files", {"files": ["a"]}), "/w"),
    (agents.windsurf("pre_run_command", command_line="ls", cwd="/x"), None),
]  # fmt: skip


@pytest.mark.parametrize(("payload", "cwd"), WORKSPACES)
def test_the_workspace_is_the_agents_not_the_models(payload, cwd):
    assert read_call(payload).cwd == cwd


UNREADABLE = [
    ("agy name", {"toolCall": {"args": {}}}, "$.toolCall.name"),
    ("agy command", agents.agy("run_command", {}), "$.toolCall.args.CommandLine"),
    ("agy folders", {**agents.agy("x", {}), "workspacePaths": "/w"}, "$.workspacePaths"),
    ("claude input", agents.claude("Bash", "ls"), "$.tool_input"),
    ("gemini command", agents.gemini("run_shell_command", {"command": ["ls"]}), "$.tool_input.command"),
    ("gemini no URL", agents.gemini("web_fetch", {"prompt": "the news"}), "$.tool_input.prompt"),
    ("gemini pattern", agents.gemini("read_many_files", {"include": ["**/.env"]}), "$.tool_input.include"),
    ("gemini context", agents.gemini("mcp_a_b", {}, mcp_context={"server_name": 1}), "$.mcp_context.server_name"),
    ("codex no patch", agents.codex("apply_patch", {"input": PATCH}), "$.tool_input.command"),
    ("codex patch of nothing", agents.codex("apply_patch", {"command": "*** Begin Patch\n"}), "$.tool_input"),
    ("codex header", agents.codex("apply_patch", {"command": "*** Add File: a\n*** Link File: b"}), "$.tool_input.command"),
    ("codex move", agents.codex("apply_patch", {"command": "*** Move to: b"}), "$.tool_input.command"),
    ("copilot text", agents.copilot("bash", "ls"), "$.toolArgs"),
    ("copilot list", agents.copilot("bash", "[]"), "$.toolArgs"),
    ("copilot twice", agents.copilot("bash", '{"command": "ls", "command": "id"}'), "$.toolArgs"),
    ("copilot name", {"toolArgs": {}}, "$.toolName"),
    ("vscode no files", agents.vscode("editFiles", {"files": []}), "$.tool_input.files"),
    ("vscode file", agents.vscode("editFiles", {"files": [7]}), "$.tool_input.files[0]"),
    ("cursor text", agents.cursor("beforeMCPExecution", tool_name="t", tool_input="x"), "$.tool_input"),
    ("cursor command", agents.cursor("beforeShellExecution", command=None), "$.command"),
    ("cursor file", agents.cursor("beforeReadFile", content="x"), "$.file_path"),
    ("cursor attachment", agents.cursor("beforeReadFile", file_path="a", attachments=[{}]), "$.attachments[0]"),
    ("windsurf action", agents.windsurf("pre_think"), "$.agent_action_name"),
    ("windsurf info", {"agent_action_name": "pre_run_command"}, "$.tool_info"),
    ("windsurf server", agents.windsurf("pre_mcp_tool_use", mcp_tool_name="t"), "$.tool_info.mcp_server_name"),
    ("windsurf edit", agents.windsurf("pre_write_code", file_path="a", edits=["x"]), "$.tool_info.edits[0]"),
    ("kiro operation", agents.kiro("fs_read", {"operations": ["a"]}), "$.tool_input.operations[0]"),
    ("kiro no path", agents.kiro("fs_read", {"operations": [{"mode": "Line"}]}), "$.tool_input.operations[0].path"),
    ("kiro nothing", agents.kiro("fs_read", {"operations": []}), "$.tool_input"),
    ("opencode args", agents.opencode("bash", None), "$.args"),
    ("cline command", agents.cline_sdk("run_commands", {"commands": [7]}), "$.tool_call.input.commands[0]"),
    ("cline none", agents.cline_extension("run_commands", {"commands": "[]"}), "$.preToolUse.parameters.commands"),
    ("cline file", agents.cline_sdk("read_files", {"files": [{}]}), "$.tool_call.input.files[0].path"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("payload", "place"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE]
)
def test_an_acting_argument_that_cannot_be_read_says_where(payload, place):
    with pytest.raises(CallError) as refused:
        read_call(payload)
    assert refused.value.path == place


@pytest.mark.parametrize(
    "payload",
    [
        agents.claude("Task", {"prompt": "x"}),
        agents.gemini("google_web_search", {"query": "x"}),
        agents.cursor("preToolUse", tool_name="Task", tool_input={}),
        agents.kiro("use_aws", {}),
        agents.copilot("task", "{}"),
        agents.opencode("todowrite", {}),
        agents.cline_sdk("ask_question", {}),
    ],
)
def test_an_unknown_tool_keeps_its_native_name_alone(payload):
    call = read_call(payload)
    assert (call.canonical, call.more) == (None, ())
    assert call.args == call.native_args


# A patch names its files, so what the model writes into them cannot hide one.
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20), max_size=8
    )
)
def test_no_line_of_a_patch_hides_a_file(lines):
    patch = "\n".join(
        ["*** Add File: first", *(f"+{line}" for line in lines), "*** Update File: .ssh/config", "+x"]
    )
    call = read_call(agents.codex("apply_patch", {"command": patch}))
    assert [part.args["path"] for part in call.parts] == ["first", ".ssh/config"]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5))
def test_a_list_is_the_same_list_as_text(commands):
    as_list = read_call(agents.cline_extension("run_commands", {"commands": commands}))
    as_text = read_call(agents.cline_extension("run_commands", {"commands": json.dumps(commands)}))
    expected = [command.encode("utf-8", "replace").decode() for command in commands]
    assert [part.args["command"] for part in as_list.parts] == commands
    assert len(as_text.parts) == len(expected)


def test_a_decoy_is_dropped_from_every_part():
    call = read_call(agents.codex("apply_patch", {"command": PATCH, "path": "/tmp/harmless", "content": "x"}))
    assert "/tmp/harmless" not in {part.args["path"] for part in call.parts}
    assert "content" not in call.parts[2].args


@pytest.mark.parametrize("target", MODULES)
def test_the_keys_of_a_tool_are_keys_that_it_reads(target):
    dialect = load(target)
    for name, tool in dialect.tools.items():
        keys = {canonical: natives[0] for canonical, natives in tool.keys.items() if natives}
        if "path" in keys or "command" in keys or "url" in keys:
            found = dialect.call(name, dict.fromkeys(keys.values(), "https://e.example"))
            assert found.canonical == tool.canonical
            assert {found.args[canonical] for canonical in keys} == {"https://e.example"}
