"""A gate whose files are not what was generated denies, and says what to do."""

import json
import random
import shutil

import pytest
from builders import clause, plan_data, rule
from gates import ALLOW, decision, denial, event, run, write_gate

from policyc.hooks.gate_decision import answer
from policyc.hooks.gate_files import sealed

DATA = plan_data([rule("deny", tools=["fs.read"], clauses=[clause("$.path", "contains", "secret")])])
HARMLESS = event(path="x")


@pytest.fixture
def gate(tmp_path):
    script = write_gate(tmp_path, DATA)
    assert decision(run(script, HARMLESS)) == ALLOW
    return script


def test_a_plan_that_is_missing_or_empty(gate):
    plan = gate.with_name("plan.json")
    plan.write_text("")
    assert "policyc hooks generate" in denial(run(gate, HARMLESS))
    plan.unlink()
    assert "plan.json cannot be read" in denial(run(gate, HARMLESS))
    plan.mkdir()
    assert "plan.json cannot be read" in denial(run(gate, HARMLESS))


def in_process(plan):
    out, err, code = answer(HARMLESS, str(plan), "managed", "")
    assert (err, code) == ("", 0)
    return json.loads(out)


def test_a_plan_cut_anywhere(gate):
    plan = gate.with_name("plan.json")
    content = plan.read_bytes()
    for end in range(len(content)):
        plan.write_bytes(content[:end])
        assert in_process(plan)["decision"] == "deny"


def test_any_flipped_byte_of_the_plan(gate):
    plan = gate.with_name("plan.json")
    content = plan.read_bytes()
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= random.Random(position).randrange(1, 256)
        plan.write_bytes(changed)
        assert in_process(plan)["decision"] == "deny"


@pytest.mark.parametrize("changes", [{"format": 2}, {"policies": {}}, {"default_policy": "gone"}], ids=str)
def test_a_plan_of_another_version(tmp_path, changes):
    data = plan_data([rule()])
    files = write_gate(tmp_path, data).with_name("plan.json")
    files.write_text(sealed(data | changes), "utf-8")
    assert "cannot use its policies" in in_process(files)["reason"]


MODULES = ["engine/walk.py", "engine/__init__.py", "engine/dialects/managed.py", "engine/documents.py",
           "hooks/gate_decision.py", "engine/plan.py", "engine/model.py"]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "garbage", "a folder", "exits", "never ends"])
def test_a_module_that_is_damaged(gate, name, damage):
    module = gate.parent / "policyc" / name
    shutil.rmtree(module.parent / "__pycache__", ignore_errors=True)
    text = module.read_text("utf-8")
    module.unlink()
    if damage == "a folder":
        module.mkdir()
    elif damage != "gone":
        module.write_text(DAMAGES[damage](text), "utf-8")
    process = run(gate, HARMLESS, "--deadline", "0.5" if damage == "never ends" else "20")
    harmless = name == "engine/__init__.py" and damage in ("gone", "empty", "a folder")
    assert decision(process)["decision"] == ("allow" if harmless else "deny")


DAMAGES = {
    "empty": lambda _text: "",
    "cut": lambda text: text[: len(text) // 2] + "\n(",
    "garbage": lambda _text: "\0\x01 garbage",
    "exits": lambda text: text + "\nraise SystemExit(0)\n",
    "never ends": lambda text: text + "\nwhile True: pass\n",
}


def test_bytecode_that_is_older_than_its_module_is_not_used(gate):
    # Python compares the time and size of the source; what is written with both right is beyond any hook.
    module = gate.parent / "policyc/engine/outcomes.py"
    module.write_text(module.read_text("utf-8") + "\nraise ImportError('changed')\n", "utf-8")
    assert "changed" in denial(run(gate, HARMLESS))
