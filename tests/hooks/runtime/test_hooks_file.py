import json

import pytest
from hooks.runtime.driving import POST, PRE, command, hooked

from policyc.hooks.declared import Command, Http
from policyc.hooks.errors import HooksError
from policyc.hooks.runtime import HooksFile, discover, load_hooks, read_hooks

HTTP = {"type": "http", "url": "https://hooks.example.com/x", "headers": {"X-Source": "sandbox"}}


def test_handlers_in_declared_order():
    document = {
        "b": {
            POST: [{"matcher": "", "hooks": [command("1")]}],
            PRE: [{"matcher": "x", "hooks": [command("2"), HTTP]}, {"matcher": "y", "hooks": [command("3")]}],
        },
        "a": {"enabled": False, PRE: [{"matcher": "*", "hooks": [command("4", timeout=7)]}]},
    }
    handlers = read_hooks(document).handlers
    assert [one.place for one in handlers if one.event == PRE] == [
        "$.b.pre_tool_execution[0].hooks[0]",
        "$.b.pre_tool_execution[0].hooks[1]",
        "$.b.pre_tool_execution[1].hooks[0]",
        "$.a.pre_tool_execution[0].hooks[0]",
    ]
    assert [one.action for one in handlers if one.event == POST] == [Command("1")]
    assert handlers[1].action == Http("https://hooks.example.com/x", {"X-Source": "sandbox"})
    assert [(one.enabled, one.timeout) for one in handlers] == [(True, 30)] * 4 + [(False, 7)]


def test_nothing_declared():
    assert read_hooks({}) == read_hooks({"g": {}}) == HooksFile()


@pytest.mark.parametrize(
    ("matcher", "tools"),
    [
        ("*", {"code_execution", "read_file", "write_file", ""}),
        (".*", {"code_execution", "read_file", "write_file", ""}),
        ("", {"code_execution", "read_file", "write_file", ""}),
        ("code_execution", {"code_execution"}),
        ("read_file|write_file", {"read_file", "write_file"}),
        (".*_file", {"read_file", "write_file"}),
        ("^(?:read_file)$", {"read_file"}),
        # The whole name, not a part of it.
        ("file", set()),
        ("read", set()),
        ("read_file|write", {"read_file"}),
        ("Read_File", set()),
        ("(?i)Read_File", {"read_file"}),
        # Not RE2.
        ("*_file", set()),
        ("(?=read).*", set()),
        ("[", set()),
    ],
)
def test_matchers(matcher, tools):
    [handler] = read_hooks(hooked(command("true"), matcher=matcher)).handlers
    names = {"code_execution", "read_file", "write_file", ""}
    assert {name for name in names if handler.matches(name)} == tools
    assert (handler.matcher_problem is not None) == (matcher in ("*_file", "(?=read).*", "["))


def test_every_problem_of_a_malformed_file_is_said():
    document = {"g": {"enabled": "yes", PRE: [{"hooks": []}]}, "h": {"PreToolUse": []}}
    with pytest.raises(HooksError) as caught:
        read_hooks(document, "x/hooks.json")
    assert caught.value.code == "hooks_file_invalid"
    first, *problems = caught.value.message.split("\n  ")
    assert first == "x/hooks.json is not a hooks.json:"
    assert [line.partition(": ")[0] for line in problems] == [
        "$.g.enabled",
        "$.g.pre_tool_execution[0]",
        "$.g.pre_tool_execution[0].hooks",
        "$.h",
    ]


@pytest.mark.parametrize("document", [[], None, "x", {"g": hooked(command("x"))}])
def test_what_is_no_hooks_file(document):
    with pytest.raises(HooksError, match=r"is not a hooks\.json"):
        read_hooks(document)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "usable JSON"),
        (b'{"g": {}, "g": {}}', "the key 'g' appears twice"),
        (b"", "the document is empty"),
        (b"\xff", "not UTF-8"),
        (b"[" * 10_000, "nested deeper"),
    ],
)
def test_a_file_that_is_no_json(tmp_path, content, message):
    path = tmp_path / "hooks.json"
    path.write_bytes(content)
    with pytest.raises(HooksError, match=message) as caught:
        load_hooks(path)
    assert caught.value.code == "hooks_file_unreadable"


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(HooksError, match="Is a directory"):
        load_hooks(tmp_path)


def test_discovery(tmp_path):
    folder, root = tmp_path / "work", tmp_path / "root"
    for place in (folder, root):
        (place / ".agents").mkdir(parents=True)
    with pytest.raises(HooksError, match=r"there is no .*/work/.agents/hooks\.json and no .*/root/"):
        discover(folder, root)
    (root / ".agents/hooks.json").write_text(json.dumps({}))
    assert discover(folder, root) == root / ".agents/hooks.json"
    # The nearer one counts, also where it cannot be read.
    (folder / ".agents/hooks.json").mkdir()
    assert discover(folder, root) == folder / ".agents/hooks.json"
