import pytest

from policyc.engine.calls import CallError, read_call


def test_a_plain_call():
    call = read_call(
        {
            "tool": "crm.get",
            "args": {"id": 1},
            "stage": "response",
            "agent": "a",
            "run": "r",
            "realpaths": ["/x"],
        }
    )
    assert (call.tool, call.args, call.stage, call.agent, call.run) == (
        "crm.get",
        {"id": 1},
        "response",
        "a",
        "r",
    )
    assert call.realpaths == ["/x"]
    assert call.names == ("crm.get",)


def test_what_a_call_leaves_out():
    call = read_call({"tool": "t"})
    assert (call.args, call.stage, call.agent) == ({}, "mcp", None)


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([], "$"),
        (None, "$"),
        ({}, "$.tool"),
        ({"tool": 1}, "$.tool"),
        ({"tool": "t", "args": []}, "$.args"),
        ({"tool": "t", "args": None}, "$.args"),
        ({"tool": "t", "args": "{}"}, "$.args"),
        ({"tool": "t", "arguments": {}}, "$.arguments"),
        ({"tool": "t", "stage": "later"}, "$.stage"),
        ({"tool": "t", "stage": ["mcp"]}, "$.stage"),
        ({"tool": "t", "agent": 7}, "$.agent"),
        ({"tool": "t", "realpaths": "/x"}, "$.realpaths"),
        ({"tool": "t", "realpaths": [1]}, "$.realpaths[0]"),
        ({"tool_call": []}, "$.tool_call"),
        ({"tool_call": {"args": {}}}, "$.tool_call.name"),
        ({"tool_call": {"name": "read_file", "args": "x"}}, "$.tool_call.args"),
        ({"tool_call": {"name": "read_file", "args": None}}, "$.tool_call.args"),
        ({"tool_call": {"name": "list_files", "args": {}}, "environment_id": 1}, "$.environment_id"),
        ({"tool_name": "Bash", "tool_input": "ls"}, "$.tool_input"),
        ({"tool_name": None, "tool_input": {}}, "$.tool_name"),
        ({"tool_name": "mcp__shell__exec", "tool_input": {}}, "$.tool_name"),
    ],
)
def test_a_call_that_cannot_be_read_says_where(document, place):
    with pytest.raises(CallError) as refused:
        read_call(document)
    assert refused.value.path == place


def managed(name, **args):
    return read_call({"tool_call": {"name": name, "args": args}, "environment_id": "env_1"})


@pytest.mark.parametrize("language", ["bash", "sh", " BASH ", "zsh", "powershell", "", None, 7, "unheard-of"])
def test_managed_code_in_a_shell_is_a_command(language):
    call = managed("code_execution", code="rm -rf /", language=language)
    assert call.names == ("code_execution", "shell.exec")
    assert call.args["command"] == "rm -rf /"
    assert call.native_args == {"code": "rm -rf /", "language": language}
    assert (call.stage, call.environment_id, call.cwd) == ("hook", "env_1", "/workspace")


@pytest.mark.parametrize("language", ["python", "Python3", "javascript"])
def test_managed_code_in_another_language_is_no_command(language):
    call = managed("code_execution", code="print()", language=language)
    assert call.names == ("code_execution",)
    assert "command" not in call.args


@pytest.mark.parametrize(
    ("tool", "canonical"),
    [
        ("read_file", "fs.read"),
        ("write_file", "fs.write"),
        ("list_files", "fs.list"),
        ("delete_file", "fs.delete"),
    ],
)
@pytest.mark.parametrize("key", ["path", "file_path"])
def test_managed_files(tool, canonical, key):
    call = managed(tool, **{key: "/workspace/a"})
    assert call.names == (tool, canonical)
    assert call.args["path"] == "/workspace/a"


def test_the_model_cannot_plant_a_decoy():
    assert (
        managed("code_execution", code="rm -rf /", command="ls", language="bash").args["command"]
        == "rm -rf /"
    )
    with pytest.raises(CallError, match="missing"):
        managed("code_execution", command="ls", language="bash")
    claude = read_call({"tool_name": "Read", "tool_input": {"file_path": "/etc/shadow", "path": "/tmp/a"}})
    assert claude.args["path"] == "/etc/shadow"


@pytest.mark.parametrize(
    ("name", "args", "place"),
    [
        ("code_execution", {}, "$.tool_call.args.code"),
        ("code_execution", {"Code": "rm -rf /"}, "$.tool_call.args.code"),
        ("code_execution", {"code": ["rm -rf /"]}, "$.tool_call.args.code"),
        ("code_execution", {"code": None}, "$.tool_call.args.code"),
        ("read_file", {"uri": "/etc/shadow"}, "$.tool_call.args.path"),
        ("read_file", {"path": {"$": 1}}, "$.tool_call.args.path"),
        ("delete_file", {}, "$.tool_call.args.path"),
        ("list_files", {"path": 7}, "$.tool_call.args.path"),
    ],
)
def test_what_the_agent_acts_on_has_to_be_there_and_be_text(name, args, place):
    with pytest.raises(CallError) as refused:
        managed(name, **args)
    assert refused.value.path == place


def test_two_keys_that_disagree_cannot_be_read():
    with pytest.raises(CallError, match="disagree"):
        managed("read_file", path="/a", file_path="/b")
    assert managed("read_file", path="/a", file_path="/a").args["path"] == "/a"


def test_an_absent_args_object_is_an_empty_one():
    assert read_call({"tool_call": {"name": "list_files"}}).args == {}


@pytest.mark.parametrize(
    ("name", "args", "canonical"),
    [
        ("Bash", {"command": "ls"}, "shell.exec"),
        ("Write", {"file_path": "a", "content": "x"}, "fs.write"),
        ("Edit", {"file_path": "a"}, "fs.edit"),
        ("WebFetch", {"url": "https://example.com"}, "http.fetch"),
        ("mcp__linear__create_issue", {"title": "x"}, "mcp.linear.create_issue"),
        ("Task", {}, None),
        ("mcp__only", {}, None),
    ],
)
def test_claudes_names(name, args, canonical):
    call = read_call({"tool_name": name, "tool_input": args, "cwd": "/w", "hook_event_name": "PreToolUse"})
    assert (call.canonical, call.cwd, call.stage) == (canonical, "/w", "hook")


def test_a_plain_call_at_a_hook_gets_the_canonical_name_too():
    call = read_call({"tool": "code_execution", "args": {"code": "ls", "language": "sh"}, "stage": "hook"})
    assert call.canonical == "shell.exec"
    assert read_call({"tool": "Bash", "args": {"command": "ls"}, "stage": "hook"}).args["command"] == "ls"
    assert read_call({"tool": "read_file", "args": {"path": "a"}}).canonical is None
