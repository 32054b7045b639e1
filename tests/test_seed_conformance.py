"""Every example of the tool-call seed document: a policy file and a call, and what must come of it."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from policyc.engine.calls import read_call
from policyc.loading import load_target

LINES = (Path(__file__).parent / "cases" / "seed_firewall.jsonl").read_text("utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]

#: How a policy is written -> the file's name and its text.
FORMS = {
    "json": ("policy.json", json.dumps),
    "yaml": ("policy.yaml", lambda policy: yaml.safe_dump(policy, sort_keys=False, allow_unicode=True)),
}


def named(cases):
    """The cases with a test id each; a name that repeats is numbered."""
    seen = Counter()
    params = []
    for case in cases:
        seen[case["name"]] += 1
        number = f" ({seen[case['name']]})" if seen[case["name"]] > 1 else ""
        params.append(pytest.param(case, id=case["name"] + number))
    return params


def decide(folder, name, text, call):
    target = folder / name
    target.write_text(text, "utf-8")
    outcome = load_target(target).evaluator.decide(read_call(call))
    return {"verdict": outcome.verdict, "rule": outcome.rule}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", named(CASES))
def test_the_seeds_verdicts(case, form, tmp_path):
    name, write = FORMS[form]
    assert decide(tmp_path, name, write(case["policy"]), case["call"]) == case["expect"]


# What the array alone says: its default is audit, and it is not in shadow.
ARRAYS = [
    case for case in CASES if case["policy"] == {"default_verdict": "audit", "rules": case["policy"]["rules"]}
]


@pytest.mark.parametrize("case", named(ARRAYS))
def test_a_rule_array_alone_is_a_policy_that_audits(case, tmp_path):
    text = json.dumps(case["policy"]["rules"], indent=2)
    assert decide(tmp_path, "rules.json", text, case["call"]) == case["expect"]


def test_all_cases_are_here():
    assert len(CASES) == 93
    assert ARRAYS
