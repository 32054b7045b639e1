from pathlib import Path

import pytest

from policyc.bench import gate
from policyc.bench.gate import POLICIES, measure_gate
from policyc.bench.processes import BenchError
from policyc.building import compile_path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_figures_of_each_policy_and_tool(tmp_path):
    found = measure_gate(tmp_path / "gates", runs=1)
    assert len(found) == 6
    assert {row.policy for row in found} == set(POLICIES)
    assert all(row.baseline_ms > 0 and row.warm > 0 and row.cold > 0 for row in found)
    assert not list((tmp_path / "gates").rglob("cold/**/__pycache__"))


def test_a_gate_that_denies_is_no_figure(tmp_path, monkeypatch):
    monkeypatch.setitem(gate.POLICIES, "one regex", "default_verdict: deny\nrules: []\n")
    with pytest.raises(BenchError, match="did not allow"):
        measure_gate(tmp_path / "gates", runs=1)


@pytest.mark.parametrize(
    ("name", "folder"), [("one regex", "managed-agent-hooks/gate"), ("coding agent", "coding-agent")]
)
def test_the_policies_are_those_of_the_examples(tmp_path, name, folder):
    source = tmp_path / "policy.yaml"
    source.write_text(POLICIES[name])

    def essence(data):
        policy = data["policies"][data["default_policy"]]
        return [(rule["label"], rule["clauses"], rule["verdict"]) for rule in policy["rules"]]

    assert essence(compile_path(source).data) == essence(compile_path(EXAMPLES / folder).data)
