import pytest

from policyc.engine.dialects import claude_code, codex, managed
from policyc.engine.dialects.reach import reachable

FILES = {"read_file", "write_file", "list_files", "delete_file"}
ALL = {"code_execution", *FILES}

TABLE = [
    (None, None, ALL),
    (["*"], None, ALL),
    ([""], ["hook"], ALL),
    (["shell.exec"], None, {"code_execution"}),
    (["shell.*"], ["mcp", "hook"], {"code_execution"}),
    (["code_execution"], None, {"code_execution"}),
    (["fs.*"], None, FILES),
    (["*_file"], None, FILES - {"list_files"}),
    (["fs.read", "delete_file"], None, {"read_file", "delete_file"}),
    (["fs.edit", "http.fetch", "mcp.*", "crm.*", "Shell.*"], None, set()),
    (None, ["mcp"], set()),
    (["shell.exec"], ["inbound", "response", "egress"], set()),
    ([], None, set()),
]


@pytest.mark.parametrize(("tools", "stages", "expected"), TABLE)
def test_the_managed_agents_tools(tools, stages, expected):
    assert reachable(tools, stages, managed.DIALECT) == expected


def test_globs_may_come_as_an_iterator():
    assert reachable(iter(["fs.read", "shell.exec"]), None, managed.DIALECT) == {
        "read_file",
        "code_execution",
    }


@pytest.mark.parametrize("glob", ["fs.write", "fs.edit", "fs.delete", "apply_patch", "*.delete"])
def test_a_tool_with_several_canonical_names_is_reached_by_each(glob):
    assert reachable([glob], None, codex.DIALECT) == {"apply_patch"}


def test_another_agents_tools():
    assert reachable(["shell.*"], None, claude_code.DIALECT) == {"Bash", "PowerShell"}
