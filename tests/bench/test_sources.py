import pytest

from policyc.bench.sources import first_policy, other_calls, policy_path, probe, verdict_of, write_bundle
from policyc.building import compile_path
from policyc.engine.calls import read_call
from policyc.loading import load_target


@pytest.mark.parametrize("edition", [0, 1])
def test_an_edition_compiles_and_decides_as_it_says(tmp_path, edition):
    write_bundle(tmp_path / "bench", files=3, rules=20, edition=edition)
    loaded = load_target(tmp_path / "bench")
    assert loaded.evaluator.decide(read_call(probe())).verdict == verdict_of(edition)
    others = [loaded.evaluator.decide(read_call(call)) for call in other_calls(3, 20, 50)]
    assert {outcome.verdict for outcome in others} == {"allow"}
    assert {outcome.policy for outcome in others} == {"policy-0", "policy-1", "policy-2"}


def test_the_bundle_has_the_rules_it_says_and_nothing_to_complain_about(tmp_path):
    write_bundle(tmp_path / "bench", files=4, rules=15)
    built = compile_path(tmp_path / "bench")
    assert built.diagnostics == ()
    assert [len(policy["rules"]) for policy in built.data["policies"].values()] == [15] * 4


def test_editions_differ_in_one_file(tmp_path):
    write_bundle(tmp_path / "bench", files=2, rules=5)
    policy_path(tmp_path / "bench", 0).write_text(first_policy(1, rules=5))
    write_bundle(tmp_path / "other", files=2, rules=5, edition=1)
    ours, theirs = (compile_path(tmp_path / name).data["policies"] for name in ("bench", "other"))
    assert ours == theirs
    assert verdict_of(1) != verdict_of(2)
