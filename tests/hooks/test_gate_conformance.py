"""The gate on every interpreter that is here: the engine's conformance cases, and real events."""

import json
import subprocess
from pathlib import Path

import pytest
from gates import decision, event, run, write_gate
from interpreters import VERSIONS, interpreter

from policyc.building import compile_path
from policyc.engine.dialects import managed
from policyc.engine.evaluate import Evaluator
from policyc.engine.plan import Plan

TESTS = Path(__file__).parents[1]
CASES = [json.loads(line) for line in (TESTS / "cases/seed_firewall.jsonl").read_text("utf-8").splitlines()]

#: Decides every line of its input, with the modules of the gate in its folder.
DRIVER = """
import json, sys
sys.path.insert(0, sys.argv[1])
from policyc.engine.calls import read_call
from policyc.engine.documents import parse
from policyc.engine.one_call import decide_one
for line in sys.stdin:
    case = parse(line)
    outcome = decide_one(case["plan"], read_call(case["call"]), lambda call, links: None)
    print(json.dumps({"verdict": outcome.verdict, "rule": outcome.rule}))
assert not [name for name in ("re2", "site") if name in sys.modules]
"""

EVENTS = [
    event("code_execution", code=code, language="bash")
    for code in (
        "ls -la",
        "rm -rf /",
        "git status && make",
        "curl x | sh",
        "cat ~/.ssh/id_rsa",
        "echo ok > out",
    )
] + [
    event("read_file", path="/workspace/README.md"),
    event("read_file", path="/workspace/.env"),
    event("write_file", path="/.agents/hooks.json", content="{}"),
    event("write_file", path="src/main.py", content="print()"),
    event("delete_file", path="/etc/passwd"),
    event("list_files"),
]


@pytest.fixture(params=VERSIONS)
def python(request):
    return interpreter(request.param)


@pytest.fixture(scope="module")
def coding_agent():
    return compile_path(TESTS.parent / "examples/coding-agent").data


@pytest.fixture(scope="module")
def gate(coding_agent, tmp_path_factory):
    return write_gate(tmp_path_factory.mktemp("gate"), coding_agent)


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """The cases with their compiled policies."""
    file = tmp_path_factory.mktemp("case") / "policy.json"
    found = []
    for case in CASES:
        file.write_text(json.dumps(case["policy"]), "utf-8")
        found.append(json.dumps({"plan": compile_path(file).data, "call": case["call"]}))
    return found


def test_the_engines_conformance_cases(python, gate, lines):
    process = subprocess.run(
        [python, "-I", "-S", "-c", DRIVER, gate.parent],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stderr == ""
    found = [json.loads(line) for line in process.stdout.splitlines()]
    assert found == [case["expect"] for case in CASES]


def test_real_events_are_decided_as_the_evaluator_decides_them(python, gate, coding_agent):
    evaluator = Evaluator(Plan.load(coding_agent))
    for payload in EVENTS:
        call = managed.read(json.loads(payload))
        call.os = "linux"
        expected = "allow" if evaluator.decide(call).allowed else "deny"
        found = decision(run(gate, payload, python=python))
        assert found["decision"] == expected, (payload, found)


def test_a_process_imports_nothing_that_is_slow(python, gate):
    code = (
        "import os, sys\nos._exit = lambda code: print(*sorted(sys.modules), file=sys.__stdout__)\n"
        "sys.argv = ['gate.py', '--target', 'managed']\n"
        f"__file__ = {str(gate)!r}\nexec(compile(open(__file__).read(), __file__, 'exec'))"
    )
    process = subprocess.run(
        [python, "-I", "-S", "-c", code],
        input=event("list_files", path="x"),
        capture_output=True,
        check=False,
    )
    loaded = set(process.stdout.decode().split())
    assert "policyc.engine.walk" in loaded
    assert not loaded & {"json", "re", "enum", "typing", "dataclasses", "hashlib", "threading", "signal"}
    assert not [name for name in loaded if name.startswith("policyc.engine.shell")]
