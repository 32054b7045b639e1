import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from policyc.compiler.presets import shipped_presets


def test_init_gives_a_bundle_that_checks_and_denies(policyc):
    answer = policyc("init", "My Guard")
    assert answer.code == 0
    assert policyc("check", "My Guard").out == "My Guard: 0 errors, 0 warnings\n"
    denied = policyc("eval", "My Guard", "--tool", "shell.exec", "--args", '{"command": "rm -rf /"}')
    assert denied.code == 1
    assert 'rule "block recursive deletion"' in denied.out
    assert "'My Guard'" in answer.err


def test_the_hooks_of_a_new_bundle_hold(policyc, tmp_path):
    policyc("init", "guard")
    assert policyc("hooks", "generate", "guard").code == 0
    gate = tmp_path / ".agents/hooks-scripts/gate.py"
    for path, decision in (("/workspace/x", "allow"), ("/.agents/hooks.json", "deny")):
        event = {
            "tool_call": {
                "name": "read_file" if decision == "allow" else "write_file",
                "args": {"path": path},
            }
        }
        command = [sys.executable, "-I", "-S", gate, "--target", "managed"]
        found = subprocess.run(command, input=json.dumps(event), capture_output=True, text=True, check=True)
        assert json.loads(found.stdout)["decision"] == decision


def test_init_overwrites_nothing(policyc, tmp_path):
    assert policyc("init", "guard").code == 0
    policy = tmp_path / "guard/policies/guard.yaml"
    policy.write_text("mine")
    answer = policyc("init", "guard")
    assert answer.code == 2
    assert "error[exists]" in answer.err
    assert policy.read_text() == "mine"


def test_init_writes_the_schemas_that_its_files_name(policyc, tmp_path):
    policyc("init", "guard")
    folder = tmp_path / "guard"
    for file, schema in (("bundle.yaml", "bundle"), ("policies/guard.yaml", "policy")):
        text = (folder / file).read_text()
        named = text.split("$schema=")[1].split("\n")[0]
        document = json.loads((folder / file).parent.joinpath(named).read_text())
        jsonschema.validate(yaml.safe_load(text), document)
        assert json.loads(policyc("schema", schema).out) == document


@pytest.mark.parametrize("name", sorted(shipped_presets()))
def test_init_from_each_bundle_that_ships(policyc, name):
    assert policyc("init", "mine", "--from", name).code == 0
    assert policyc("check", "mine").out == "mine: 0 errors, 0 warnings\n"
    assert Path("mine/tests/calls.yaml").is_file()


@pytest.mark.parametrize("level", ["tight", "balanced", "permissive"])
def test_init_extends_an_autonomy_level(policyc, level):
    if level not in shipped_presets():
        pytest.skip(f"the bundle {level} does not ship yet")
    assert policyc("init", level, "--autonomy", level).code == 0
    assert policyc("check", level).out == f"{level}: 0 errors, 0 warnings\n"
    base = yaml.safe_load(Path(level, "policies/agent.yaml").read_text())
    assert base["extends"] == level
    assert base["rules"] == []
    denied = policyc("eval", level, "--tool", "shell.exec", "--args", '{"command": "rm -rf /srv/data"}')
    assert denied.code == (0 if level == "permissive" else 1)


def test_from_and_autonomy_exclude_each_other(policyc, tmp_path):
    answer = policyc("init", "mine", "--from", "crm_reader", "--autonomy", "tight")
    assert answer.code == 2
    assert "either --from or --autonomy" in answer.err
    assert not (tmp_path / "mine").exists()


def test_an_unknown_autonomy_level_is_answered_with_those_there_are(policyc):
    answer = policyc("init", "mine", "--autonomy", "loose")
    assert answer.code == 2
    assert "balanced" in answer.err


def test_an_unknown_bundle_is_answered_with_those_that_ship(policyc):
    answer = policyc("init", "mine", "--from", "crm")
    assert answer.code == 2
    assert "crm_reader" in answer.err


@pytest.mark.parametrize("name", ["policy", "bundle", "values", "hooks", "settings"])
def test_schemas_are_schemas(policyc, name):
    document = json.loads(policyc("schema", name).out)
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
