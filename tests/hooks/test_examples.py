"""The bundles of examples/managed-agent-hooks and the hooks.json committed with each."""

import json
import re
from pathlib import Path

import pytest

from policyc.compiler import compile_tree, shipped_presets
from policyc.engine.calls import read_call
from policyc.engine.evaluate import Evaluator
from policyc.engine.plan import Plan
from policyc.hooks.generate import Generated, generate_hooks
from policyc.hooks.managed import PATH
from policyc.hooks.schema import problems
from policyc.hooks.write import drift
from policyc.source.tree import SourceTree, read_tree

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "managed-agent-hooks"
SEEDS = Path(__file__).parent / "seed"
NAMES = ["gate", "auto-format", "privacy", "audit", "evaluator"]


def compiled(name):
    compilation = compile_tree(read_tree(EXAMPLES / name), presets=shipped_presets())
    assert compilation.diagnostics == ()
    return compilation.data


def test_every_example_is_tested():
    assert sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_file_is_what_the_bundle_generates(name):
    generated = generate_hooks(compiled(name))
    document = Generated({PATH: generated.files[PATH]}, [])
    assert drift(document, EXAMPLES / name) == []


@pytest.mark.parametrize("name", ["gate", "auto-format", "privacy", "audit"])
def test_the_seeds_documents_are_generated_to_the_letter(name):
    [text] = generate_hooks(compiled(name)).files.values()
    assert text == (SEEDS / f"{name}.json").read_text("utf-8")


def test_the_token_of_the_audit_example_stays_out():
    data = compiled("audit")
    assert data["network"]["allowlist"][0]["transform"] == {"Authorization": "Bearer ${TELEMETRY_TOKEN}"}
    assert "TELEMETRY_TOKEN" not in repr(generate_hooks(data))


EVENTS = [
    ("gate", "code_execution", {"code": "rm -rf /tmp/forbidden", "language": "bash"}, "deny"),
    ("gate", "code_execution", {"code": "ls", "language": "bash"}, "audit"),
    ("privacy", "read_file", {"path": "/workspace/private/employees.json"}, "deny"),
    ("privacy", "read_file", {"path": "/workspace/public/summary.json"}, "audit"),
    ("audit", "write_file", {"path": "/workspace/audit.log", "content": "event 1"}, "audit"),
    ("audit", "list_files", {"path": "/workspace"}, "allow"),
    ("evaluator", "write_file", {"path": "/.agents/hooks.json", "content": "{}"}, "deny"),
    ("evaluator", "delete_file", {"path": ".agents"}, "deny"),
    ("evaluator", "write_file", {"path": "/workspace/my.agents", "content": ""}, "audit"),
]


@pytest.mark.parametrize(("name", "tool", "args", "verdict"), EVENTS)
def test_the_policies_say_the_same_to_the_evaluator(name, tool, args, verdict):
    event = {"tool_call": {"name": tool, "args": args}, "environment_id": "env_xyz789"}
    assert Evaluator(Plan.load(compiled(name))).decide(read_call(event)).verdict == verdict


def test_the_bundle_in_the_documentation_compiles_and_generates():
    [text] = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "hooks.md").read_text("utf-8"), re.DOTALL)
    policy = b"default_verdict: audit\nrules: [{priority: 1, tool_name_glob: shell.*, verdict: deny}]\n"
    tree = SourceTree({"bundle.yaml": text.encode(), "policies/sandbox.yaml": policy}, "docs")
    compilation = compile_tree(tree, presets=shipped_presets())
    assert compilation.diagnostics == ()
    document = generate_hooks(compilation.data).files[PATH]
    assert problems(json.loads(document)) == []
    assert list(json.loads(document)) == ["policy", "format"]
