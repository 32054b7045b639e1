"""What the gate is made of."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from builders import clause, plan_data, rule

import policyc
from policyc.hooks import gate_files as files
from policyc.hooks.errors import HooksError
from policyc.hooks.gate_files import deadline_within, gate_command, gate_files

PACKAGE = Path(policyc.__file__).parent
FOLDER = ".agents/hooks-scripts"


def plan_of(data):
    return json.loads(gate_files(data, "")["plan.json"])["plan"]


def test_modules_are_copied_to_the_letter_and_all_of_the_engine_is_there():
    found = gate_files(plan_data([rule()]), FOLDER)
    modules = {path: text for path, text in found.items() if path.startswith(f"{FOLDER}/policyc/")}
    for path, text in modules.items():
        assert text == (PACKAGE / path.removeprefix(f"{FOLDER}/policyc/")).read_text("utf-8")
    engine = {f"{FOLDER}/policyc/{path.relative_to(PACKAGE)}" for path in (PACKAGE / "engine").rglob("*.py")}
    assert engine < modules.keys()
    assert found[f"{FOLDER}/gate.py"] == (PACKAGE / "hooks/gate.py").read_text("utf-8")
    assert found.keys() - modules.keys() == {f"{FOLDER}/gate.py", f"{FOLDER}/plan.json"}


@pytest.mark.parametrize("name", ["gate.py", "gate_decision.py", "gate_asking.py", "__init__.py"])
def test_what_runs_in_the_sandbox_is_python_3_9_and_imports_the_engine_alone(name):
    tree = ast.parse((PACKAGE / "hooks" / name).read_text("utf-8"), feature_version=(3, 9))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    own = {module for module in imported if module.startswith("policyc")}
    assert all(
        module.startswith(("policyc.engine", "policyc.hooks.gate_")) and module != "policyc.hooks.gate_files"
        for module in own
    )
    network = {"urllib.parse", "urllib.request"} if name == "gate_asking.py" else set()
    assert imported - own <= {"__future__", "_signal", "_thread", "os", "sys", "time", *network}


def test_the_plan_holds_what_decides_at_a_hook():
    rules = [
        rule(label="here"),
        rule(label="there", stages=["mcp"]),
        rule(label="both", stages=["mcp", "hook"]),
    ]
    policies = {name: plan_data(rules)["policies"]["p"] for name in ("p", "q")}
    data = plan_data(
        [], policies=policies, bindings=[{"agents": ["x"], "policy": "q"}], hooks=[], network=None
    )
    plan = plan_of(data)
    assert list(plan["policies"]) == ["p"]
    assert [found["label"] for found in plan["lines"]] == ["here", "both"]
    assert "network" not in plan
    assert plan_of(data | {"default_policy": None})["default_policy"] is None


def test_the_plan_is_the_same_whatever_the_order_of_keys():
    data = plan_data([rule()])
    turned = json.loads(json.dumps(data), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert gate_files(data, "")["plan.json"] == gate_files(turned, "")["plan.json"]


def test_a_gate_beyond_the_limits_is_refused_with_its_size(monkeypatch):
    many = [rule(label=f"r{n}", clauses=[clause("$.x", "contains", "y" * 400)]) for n in range(2000)]
    with pytest.raises(HooksError, match=r"plan.json has 1,\d\d\d,\d\d\d bytes") as error:
        gate_files(plan_data(many), "")
    assert error.value.code == "gate_too_large"
    monkeypatch.setattr(files, "MOST_BYTES_TOGETHER", 100_000)
    with pytest.raises(HooksError, match=r"bytes, .* of them the plan"):
        gate_files(plan_data([rule()]), "")


def test_the_limits_have_room_for_a_large_plan():
    sizes = [len(text.encode()) for text in gate_files(plan_data([rule()]), "").values()]
    assert max(sizes) < files.MOST_BYTES // 4
    assert sum(sizes) < files.MOST_BYTES_TOGETHER - files.MOST_BYTES


def test_the_command_runs_it():
    words = gate_command(f"/{FOLDER}", "managed", deadline=10)
    assert words == ["python3", "-I", "-S", f"/{FOLDER}/gate.py", "--target", "managed", "--deadline", "10"]
    assert gate_command("x", "agy", python="/usr/bin/python3")[0] == "/usr/bin/python3"


@pytest.mark.parametrize("timeout", range(2, 601))
def test_the_deadline_is_below_the_timeout(timeout):
    assert 1 <= deadline_within(timeout) < timeout


def test_the_script_alone_says_what_is_missing(tmp_path):
    (tmp_path / "gate.py").write_text((PACKAGE / "hooks/gate.py").read_text("utf-8"))
    command = [sys.executable, "-I", "-S", "gate.py", "--target", "managed"]
    process = subprocess.run(command, input=b"", capture_output=True, cwd=tmp_path, check=True)
    assert json.loads(process.stdout)["decision"] == "deny"
