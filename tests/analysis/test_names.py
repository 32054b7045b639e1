"""The names of a call, as the analyser sees them."""

from __future__ import annotations

import pytest
from builders import plan, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.analysis.difference import compare
from policyc.analysis.names import either, tells_native_mcp
from policyc.engine.evaluate import Evaluator
from policyc.engine.globs import matches
from policyc.engine.model import Call

CRM = Call("crm.get", {}, "mcp", canonical="mcp.crm.get")


@given(
    st.lists(st.text("mcp.*a", max_size=7), min_size=1, max_size=2).map(tuple), st.text("mcp.a", min_size=1)
)
def test_globs_for_either_name_of_an_mcp_tool(globs, name):
    covered = any(matches(glob, one) for glob in globs for one in (name, f"mcp.{name}"))
    assert any(matches(glob, name) for glob in either(globs)) is covered


@pytest.mark.parametrize("globs", [("crm.*", "mcp.*"), ("crm.*", "*p.crm.*"), ("crm.get", "mcp.crm.get")])
def test_rules_that_meet_at_a_tool_with_both_names_are_not_proved_to_be_free_of_order(globs):
    rules = [rule(verdict, tools=[glob]) for verdict, glob in zip(("allow", "deny"), globs, strict=True)]
    plans = [plan(side) for side in (rules, rules[::-1])]
    assert len({Evaluator(one).decide(CRM).verdict for one in plans}) == 2
    found = compare(*(one.policies["p"] for one in plans))
    assert found.changes or found.rest == "unknown"


def test_rules_for_other_servers_are_free_of_order():
    rules = [rule("allow", tools=["crm.*"]), rule("deny", tools=["mcp.pay.*"])]
    found = compare(*(plan(side).policies["p"] for side in (rules, rules[::-1])))
    assert (found.changes, found.rest) == ([], "proved")


@pytest.mark.parametrize(
    "glob",
    [
        "mcp__crm__*",
        "crm__*",
        "crm__get",
        "m*",
        "mcp*",
        "@crm/*",
        "*_get",
        "*P*",
        "use_mcp_tool",
        "*tool",
        "use*",
    ],
)
def test_globs_that_tell_a_native_name_apart(glob):
    assert tells_native_mcp((glob,))


@pytest.mark.parametrize(
    "glob", ["*", "", "crm.*", "mcp.crm.*", "*.get*", "*.search", "*get", "*p.crm.*", "crm.get"]
)
def test_globs_that_do_not(glob):
    assert not tells_native_mcp((glob,))


PIECES = st.lists(
    st.sampled_from(["*", ".", "get", "a", "m", "P", "_", "tool", "-", "mcp"]), min_size=1, max_size=5
)


@given(
    PIECES.map("".join),
    st.sampled_from(["a", "get", "m", "a.get", "x"]),
    st.sampled_from(["get", "P", "a_b", "x.a"]),
)
def test_a_glob_that_covers_a_native_name_covers_the_canonical_one_or_tells(glob, server, tool):
    natives = f"mcp__{server}__{tool}", f"mcp_{server}_{tool}", f"@{server}/{tool}", "use_mcp_tool"
    if any(matches(glob, native) for native in natives) and not tells_native_mcp((glob,)):
        assert matches(glob, f"mcp.{server}.{tool}")
