"""From regions to calls that are in them."""

from __future__ import annotations

from dataclasses import replace

from analysis.policies import clause
from policyc.analysis.budget import Budget
from policyc.analysis.conditions import condition
from policyc.analysis.names import every_name
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.analysis.witness import witnesses
from policyc.engine.calls import read_call
from policyc.engine.model import Clause


def first(region: Region, agent: str | None = None):
    return next(iter(witnesses(region, agent, Solver(Budget()))), None)


def test_values_stand_at_their_paths():
    deep = Clause(
        "$.a.b[1]",
        [["field", "a"], ["field", "b"], ["index", 1]],
        "eq",
        7,
        negated=False,
        on_missing=False,
        match="any",
    )
    region = Region().assuming(condition(deep), True)
    assert region is not None
    region = replace(region.assuming(condition(clause("exists", False)), True), stages=frozenset({"mcp"}))
    document = first(replace(region, names=every_name().covered(("t",), True)), "crm")
    assert document == {"tool": "t", "args": {"a": {"b": [None, 7]}}, "agent": "crm"}


def test_a_canonical_name_comes_as_the_agents_own_tool_at_a_hook():
    names = every_name().covered(("shell.exec",), True).covered(("bash.*",), False)
    region = Region(frozenset({"hook"}), replace(names, single=None))
    document = first(region)
    assert document is not None
    assert read_call(document).canonical == "shell.exec"


def test_an_empty_region_has_none():
    region = Region().assuming(condition(clause("gt", 1)), True)
    assert region is not None
    assert first(region.assuming(condition(clause("lt", 1)), True)) is None
