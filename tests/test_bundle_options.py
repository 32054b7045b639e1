"""Each option of a bundle changes what it says, and a longer line is still judged by the bundle."""

import pytest
from bundle_cases import ROOT, WORKSPACE

from policyc.compiler import compile_tree, shipped_presets
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call
from policyc.engine.plan import Plan
from policyc.source.tree import SourceTree

PRESETS = shipped_presets()
LOOSER = {
    "git_guard.allow_force_with_lease": "git push --force-with-lease origin topic",
    "git_guard.allow_branch_delete": "git branch -D topic",
    "git_guard.allow_stash_drop": "git stash clear",
    "git_guard.allow_remote_delete": "git push origin --delete topic",
    "git_guard.allow_discard": "git checkout -- src/a.py",
    "git_guard.allow_tag_delete": "git tag -d v1",
    "git_guard.allow_abort": "git rebase --abort",
    "block_destructive_shell.allow_workspace_delete": "rm -rf src",
    "block_destructive_shell.allow_search_and_delete": "find src -name x -delete",
    "block_destructive_shell.allow_permissions": "chmod 777 run.sh",
    "cloud_guard.allow_namespace_delete": "kubectl delete namespace review-7",
    "cloud_guard.allow_cluster_delete": "kubectl delete pod web-1",
    "cloud_guard.allow_docker_remove": "docker rm -f web",
    "cloud_guard.allow_docker_prune": "docker system prune -af",
    "cloud_guard.allow_publish": "npm publish",
}
STRICTER = {
    "git_guard.hold_push_to_main": "git push origin main",
    "git_guard.hold_commit": "git commit -m x",
    "block_destructive_shell.hold_build_folders": "rm -rf dist",
    "block_destructive_shell.hold_inline_code": "python3 -c 'print(1)'",
    "block_destructive_shell.hold_sudo": "sudo ls",
    "cloud_guard.hold_apply": "kubectl apply -f x.yaml",
}
OF_FILES = {"protect_control_plane.allow_ci", "block_ssrf_egress.allow_localhost"}


def _verdict(option: str, command: str, *, on: bool = True) -> str:
    bundle = option.partition(".")[0]
    included = [bundle, *([option] if on else [])]
    tree = SourceTree({"a.yaml": f"include: [{', '.join(included)}]\nrules: []".encode()}, "a", single=True)
    data = compile_tree(tree, presets=PRESETS).data
    assert data is not None
    call = Call("shell.exec", {"command": command})
    call.cwd = WORKSPACE
    return Evaluator(Plan.load(data)).decide(call).verdict


@pytest.mark.parametrize("option", LOOSER)
def test_it_lets_pass(option):
    command = LOOSER[option]
    assert _verdict(option, command, on=False) in ("deny", "pending_approval")
    assert _verdict(option, command) == "allow"
    for longer in (f"{command}; rm -rf / ; terraform destroy; git reset --hard", f'{command} $("$x")'):
        assert _verdict(option, longer) == "deny"


@pytest.mark.parametrize("option", STRICTER)
def test_it_holds(option):
    assert _verdict(option, STRICTER[option], on=False) == "audit"
    assert _verdict(option, STRICTER[option]) == "pending_approval"


def test_every_option_is_here():
    options = {
        f"{path.parent.parent.name}.{path.stem}"
        for path in ROOT.glob("bundles/*/policies/*.yaml")
        if path.stem != path.parent.parent.name
    }
    assert options == {*LOOSER, *STRICTER, *OF_FILES}
