"""Which tools an agent's hooks have to stand before."""

import pytest
from builders import plan_data, rule

from policyc.engine.dialects import load
from policyc.hooks.touch import touched

READ = [rule(tools=["fs.read"])]


def meta(tool):
    return [{"tools": [tool], "name": [["field", "name"]], "arguments": [["field", "args"]], "prefix": ""}]


@pytest.mark.parametrize(
    ("tool", "tools"), [("code_*", {"code_execution", "read_file"}), ("x", {"read_file"})]
)
def test_a_tool_that_calls_others_is_touched(tool, tools):
    found = touched(plan_data(READ, meta_tools=meta(tool)), load("managed"))
    assert (found.every, found.tools) == (False, tools)


def test_where_every_tool_may_call_others_every_tool_is():
    assert touched(plan_data(READ, meta_tools=meta("*")), load("managed")).every
