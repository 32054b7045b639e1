import json

EVENTS = [
    {
        "tool": "payment.transfer",
        "args": {"amount_cents": 150000},
        "agent": "a",
        "verdict": "allow",
        "stage": "mcp",
    },
    {
        "tool": "payment.transfer",
        "args": {"amount_cents": 150000},
        "agent": "b",
        "verdict": "deny",
        "rule": "cap",
    },
    {"tool": "payment.transfer", "args": {"note": "[masked]"}, "verdict": "allow"},
    {"tool": "payment.transfer", "args": {"note": "long… (400 characters)"}, "verdict": "allow"},
    {"no": "call"},
]


def write(path, events=EVENTS):
    path.write_text("".join(json.dumps(event) + "\n" for event in events) + "no json\n")


def test_recorded_calls_that_flip(policyc, bundle, tmp_path):
    write(tmp_path / "e.jsonl")
    answer = policyc("replay", "e.jsonl", bundle)
    assert answer.code == 0
    assert 'now:    rule "cap" of policy "pay"' in answer.out
    assert '1 recorded call, by "a" (1), of "payment.transfer" (1)' in answer.out
    assert answer.out.endswith(
        "6 recorded calls: 1 flipped, 4 not decided again (no call 2, masked 1, cut short 1), "
        'of "payment.transfer" (2), "(none)" (2)\n'
    )


def test_against_another_target_and_an_autonomy_level(policyc, bundle, tmp_path):
    write(tmp_path / "e.jsonl", [{"tool": "deploy.go", "args": {}}])
    document = policyc("replay", "e.jsonl", "permissive", "--against", bundle, "--format", "json").json
    (flip,) = document["flips"]
    assert (flip["from"], flip["to"], flip["old_rule"], flip["calls"]) == (
        "pending_approval",
        "audit",
        "hold",
        1,
    )
    assert policyc("replay", "e.jsonl", bundle, "--against", bundle, "--format", "json").json["flips"] == []


def test_the_documents_of_the_api(policyc, bundle, tmp_path):
    (tmp_path / "e.json").write_text(json.dumps({"events": EVENTS[:2], "next": None}))
    assert policyc("replay", "e.json", bundle, "--format", "json").json["calls"] == 2
    assert policyc("replay", "nowhere", bundle).code == 2
