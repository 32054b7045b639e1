"""Policies that meet through the bindings, and what two plans say differently."""

from __future__ import annotations

from policyc.analysis.budget import Budget
from policyc.analysis.plans import compare_plans
from policyc.analysis.structure import edits
from policyc.building import compile_path
from policyc.engine.plan import Plan

OPEN = "default_verdict: allow\nrules: []\n"
SHUT = "default_verdict: deny\nrules: []\n"


def data(folder, bindings="", default="open"):
    (folder / "policies").mkdir(parents=True)
    (folder / "bundle.yaml").write_text(f"bundle: b\ndefault_policy: {default}\n{bindings}")
    (folder / "policies/open.yaml").write_text(OPEN)
    (folder / "policies/shut.yaml").write_text(SHUT)
    return compile_path(folder).data


def changes(old, new):
    found = compare_plans(Plan.load(old), Plan.load(new), budget=Budget())
    assert found.rest == "proved"
    return [(it.before.verdict, it.after.verdict, it.witness.get("agent")) for it in found.changes]


BOUND = 'bindings: [{agents: ["crm-*", "x-*"], policy: shut}]\n'
NARROWER = 'bindings: [{agents: ["crm-a*", "x-*"], policy: shut}]\n'


def test_a_binding_that_covers_less_is_a_change_for_an_agent_it_lost(tmp_path):
    old, new = data(tmp_path / "old", BOUND), data(tmp_path / "new", NARROWER)
    ((before, after, agent),) = changes(old, new)
    assert (before, after) == ("deny", "allow")
    assert agent.startswith("crm-")
    assert not agent.startswith("crm-a")
    assert changes(old, old) == []
    (edit,) = edits(old, new)
    assert (edit.kind, list(edit.fields)) == ("changed", ["bindings"])


def test_the_default_policy_is_for_calls_without_an_agent_too(tmp_path):
    old, new = data(tmp_path / "old", BOUND), data(tmp_path / "new", BOUND, "shut")
    assert changes(old, new) == [("allow", "deny", None)]


def test_rules_are_told_apart_by_identity(tmp_path):
    def policy(name, *rules):
        path = tmp_path / f"{name}.yaml"
        path.write_text("default_verdict: deny\nrules:\n" + "".join(f"  - {rule}\n" for rule in rules))
        plan = compile_path(path).data
        # One policy under one name: the file's stem is no part of what is compared.
        ((_, only),) = plan["policies"].items()
        return {**plan, "default_policy": "p", "policies": {"p": only}}

    one = "{priority: 1, label: one, tool_name_glob: a, verdict: allow}"
    two = "{priority: 1, label: two, tool_name_glob: b, verdict: allow}"

    def kinds(old, new):
        return [(it.kind, it.rule, dict(it.fields)) for it in edits(policy("old", *old), policy("new", *new))]

    assert kinds([one], [one]) == []
    assert kinds([one], [two, one]) == [("added", "two", {})]
    assert kinds([one, two], [one]) == [("removed", "two", {})]
    assert [kind for kind, *_ in kinds([one, two], [two, one])] == ["moved"]
    assert kinds([one], [one.replace("one", "first")]) == [("changed", "first", {"label": ("one", "first")})]
    assert kinds([one], [one.replace("allow", "deny")]) == [
        ("changed", "one", {"verdict": ("allow", "deny")})
    ]


META = "meta_tools: [{tool: run_tool, name: $.name, arguments: $.arguments}]\n"


def test_other_meta_tools_are_an_edit_and_leave_the_rest_unproved(tmp_path):
    old, new = data(tmp_path / "old"), data(tmp_path / "new", META)
    (edit,) = edits(old, new)
    assert list(edit.fields) == ["meta_tools"]
    found = compare_plans(Plan.load(old), Plan.load(new), budget=Budget())
    assert found.rest == "unknown"
    assert "`meta_tools` differ" in found.unknown[0]
    assert changes(new, new) == []
