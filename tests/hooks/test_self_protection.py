"""``protect_control_plane`` covers every file that the hooks of an agent consist of."""

import pytest
from builders import clause, plan_data, rule
from bundle_cases import ROOT, WORKSPACE, decide_line, evaluator
from hooks.agents.bundles import bundle

from policyc.engine.model import Call
from policyc.hooks.generate import TARGETS, generate_hooks
from policyc.hooks.self_protection import exposed
from policyc.hooks.write import planned

BUNDLE = "bundles/protect_control_plane"
#: Not written by policyc, and read in the place of what is.
OTHERS = {"opencode": ["opencode.jsonc", ".opencode/opencode.json"], "qwen": [".qwen/QWEN.md"]}


def paths_of(name, folder):
    """Every path of ``name``, of the many modules of a gate the first."""
    found = planned(generate_hooks(bundle(server=True), name), folder).contents
    modules = [path for path in found if "/policyc/engine/" in path]
    return sorted(found.keys() - modules) + modules[:1] + OTHERS.get(name, [])


def verdict(tool, path):
    call = Call(tool, {"path": path})
    call.cwd = WORKSPACE
    return evaluator(BUNDLE).decide(call).verdict


@pytest.mark.parametrize("name", TARGETS)
def test_no_tool_and_no_shell_changes_what_generate_writes(name, tmp_path):
    assert (ROOT / BUNDLE).is_dir()
    paths = paths_of(name, tmp_path)
    assert len(paths) > 3
    for path in paths:
        for spelling in (path, f"./{path}", f"{WORKSPACE}/{path}"):
            for tool in ("fs.write", "fs.edit", "fs.delete"):
                assert verdict(tool, spelling) == "deny", (tool, spelling)
        assert decide_line(BUNDLE, f"echo x > {path}").verdict == "deny", path
        assert decide_line(BUNDLE, f"rm {path}").verdict == "deny", path
        assert verdict("fs.read", path) == "audit", path


PATHS = [".claude/settings.json", ".policyc/gate/plan.json"]
GUARD = rule(tools=["fs.write"], clauses=[clause("$.path", "contains", ".")], label="guard", priority=400)
EARLIER = rule("allow", tools=["fs.*"], clauses=[clause("$.path", "contains", "plan")], label="earlier")


def test_what_a_rule_before_the_presets_or_shadow_leaves_open_is_found():
    assert exposed(plan_data([GUARD]), PATHS) == []
    assert exposed(plan_data([EARLIER, GUARD]), PATHS) == PATHS[1:]
    assert exposed(plan_data([GUARD], shadow=True), PATHS) == PATHS
