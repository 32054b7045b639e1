import json

import agent_payloads
import pytest

PAY = ("--tool", "payment.transfer", "--args")
KEYS = (
    "decision_id verdict allowed rule policy priority reason reason_code risk_factors "
    "shadow would_be revision args"
)


def test_a_decision_as_json(policyc, bundle):
    answer = policyc("eval", bundle, *PAY, '{"amount_cents": 100001}', "--format", "json")
    assert answer.code == 1
    assert list(answer.json) == KEYS.split()
    assert answer.json["verdict"] == "deny"
    assert answer.json["rule"] == "cap"
    assert answer.json["args"] == {"amount_cents": 100001}


@pytest.mark.parametrize(
    ("arguments", "code", "starts"),
    [
        (
            [*PAY, '{"amount_cents": 1}'],
            0,
            'allowed (allow) by rule "pay" of policy "pay" (policies/pay.yaml:11)',
        ),
        (
            [*PAY, '{"amount_cents": 100001}'],
            1,
            'denied (deny) by rule "cap" of policy "pay" (policies/pay.yaml:3)',
        ),
        (["--tool", "deploy.release"], 1, 'held (pending_approval) by rule "hold"'),
        (["--tool", "db.drop"], 1, 'denied (deny) by the default of policy "pay"'),
    ],
)
def test_a_decision_as_text(policyc, bundle, arguments, code, starts):
    answer = policyc("eval", bundle, *arguments)
    assert answer.code == code
    assert answer.out.startswith(starts)
    assert answer.out.count("\n") == 1


def test_a_file_and_an_artifact_decide_alike(policyc, bundle, signed):
    for target in (bundle, bundle / "policies/pay.yaml", signed):
        assert policyc("eval", target, *PAY, '{"amount_cents": 100001}').code == 1
    folder, artifact = (policyc("eval", t, *PAY, "{}", "--format", "json").json for t in (bundle, signed))
    assert folder["revision"] == artifact["revision"]


def test_a_rule_array_pastes_in_unchanged(policyc, tmp_path):
    rules = [
        {"priority": 10, "label": "allow crm reads", "tool_name_glob": "crm.get*", "verdict": "allow"},
        {"priority": 9999, "label": "deny everything else", "tool_name_glob": "*", "verdict": "deny"},
    ]
    for name in ("crm.json", "crm.yaml"):
        (tmp_path / name).write_text(json.dumps(rules, indent=2))
        assert policyc("eval", name, "--tool", "crm.get_contact").code == 0
        assert policyc("eval", name, "--tool", "shell.exec").out.startswith(
            'denied (deny) by rule "deny everything'
        )


def test_explain_shows_each_rule_and_the_value_it_saw(policyc, bundle):
    text = policyc("eval", bundle, *PAY, '{"amount_cents": 5}', "--explain").out
    assert "$.amount_cents gt 100000: saw 5" in text
    assert 'matched  10  "pay"' in text
    missing = policyc("eval", bundle, *PAY, "{}", "--explain").out
    assert "the call has nothing at $.amount_cents" in missing
    steps = policyc("eval", bundle, "--tool", "deploy.x", "--explain", "--format", "json").json["explain"]
    assert [step["matched"] for step in steps] == [False, False, True]
    assert steps[0]["failed"] == {"condition": "tool", "wanted": ["payment.*"], "saw": ["deploy.x"]}
    assert steps[2]["source"] == "policies/pay.yaml:12"


CALLS = [
    ('{"tool": "payment.transfer", "args": {"amount_cents": 1}}', "allow"),
    ('{"tool": "payment.transfer", "args": {"amount_cents": 999999999999999999999999}}', "deny"),
    ('{"tool_call": {"name": "code_execution", "args": {"code": "ls"}}, "environment_id": "e"}', "deny"),
    ('{"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/w"}', "deny"),
]
BAD_CALLS = [
    ("", "empty"),
    ("{", "invalid_json"),
    ('{"tool": "t", "args": {"a": 1, "a": 2}}', "duplicate_key"),
    ('{"tool": "t", "args": {"a": NaN}}', "not_a_number"),
    ('{"tool": "t", "args": 1}', "invalid_call"),
    ('{"tool": "t", "argz": {}}', "invalid_call"),
    ("[" * 5000, "too_deep"),
]


def test_calls_are_answered_line_by_line_in_order(policyc, bundle):
    answer = policyc("eval", bundle, "--calls", "-", stdin="\n".join(line for line, _ in CALLS))
    assert answer.code == 0
    assert [json.loads(line)["verdict"] for line in answer.out.splitlines()] == [
        verdict for _, verdict in CALLS
    ]


def test_a_bad_line_is_answered_in_its_place(policyc, bundle, tmp_path):
    lines = [CALLS[0][0], *(line for line, _ in BAD_CALLS), CALLS[1][0]]
    (tmp_path / "calls.jsonl").write_text("\n".join(lines) + "\n")
    answer = policyc("eval", bundle, "--calls", "calls.jsonl")
    documents = [json.loads(line) for line in answer.out.splitlines()]
    assert answer.code == 2
    assert [document["error"]["code"] for document in documents[1:-1]] == [code for _, code in BAD_CALLS]
    assert [document["error"]["line"] for document in documents[1:-1]] == list(range(2, len(lines)))
    assert documents[0]["allowed"]
    assert documents[-1]["verdict"] == "deny"


def test_calls_with_a_byte_order_mark_bad_bytes_and_surrogates(policyc, bundle):
    stdin = b'\xef\xbb\xbf{"tool": "db.drop"}\n{"tool": "\xff"}\n{"tool": "\\ud800"}\n'
    documents = [
        json.loads(line) for line in policyc("eval", bundle, "--calls", "-", stdin=stdin).out.splitlines()
    ]
    assert [document.get("verdict") for document in documents] == ["deny", None, "deny"]
    assert documents[1]["error"]["code"] == "not_utf8"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "either --tool or --calls"),
        (["--tool", "t", "--calls", "-"], "either --tool or --calls"),
        (["--calls", "-", "--agent", "crm-1"], "each line has its own"),
        (["--tool", "t", "--args", "{"], "error[invalid_json]"),
        (["--tool", "t", "--args", "[]"], "error[invalid_call]: $.args"),
        (["--tool", "t", "--args", '{"a": 1, "a": 2}'], "error[duplicate_key]"),
        (["--tool", "t", "--stage", "later"], "Invalid value for '--stage'"),
        (["--calls", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_used_wrongly(policyc, bundle, arguments, says):
    answer = policyc("eval", bundle, *arguments)
    assert answer.code == 2
    assert says in answer.err


def test_a_target_that_cannot_be_read(policyc, tmp_path):
    assert policyc("eval", "nowhere", "--tool", "t").code == 2
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b\x08 not really")
    answer = policyc("eval", "broken.tar.gz", "--tool", "t", "--format", "json")
    assert answer.code == 2
    assert answer.json["error"]["code"]
    (tmp_path / "bad.yaml").write_text("rules: [{}]\n")
    answer = policyc("eval", "bad.yaml", "--tool", "t")
    assert answer.code == 1
    assert "bad.yaml:1:9: error[missing_key]" in answer.err


def test_with_a_key_only_a_signed_artifact_decides(policyc, bundle, signed):
    key = ("--verify-key", "release.pub.pem")
    assert policyc("eval", signed, *PAY, "{}", *key).code == 0
    answer = policyc("eval", bundle, *PAY, "{}", *key)
    assert answer.code == 2
    assert "error[sources_unsigned]" in answer.err


def test_bindings_choose_the_policy_by_agent(policyc, tmp_path):
    (tmp_path / "b" / "policies").mkdir(parents=True)
    (tmp_path / "b/bundle.yaml").write_text(
        "bundle: b\ndefault_policy: closed\nbindings: [{agents: ['crm-*'], policy: open}]\n"
    )
    (tmp_path / "b/policies/open.yaml").write_text("default_verdict: allow\nrules: []\n")
    (tmp_path / "b/policies/closed.yaml").write_text("default_verdict: deny\nrules: []\n")
    assert policyc("eval", "b", "--tool", "t", "--agent", "crm-1").code == 0
    assert policyc("eval", "b", "--tool", "t", "--agent", "other").code == 1
    assert policyc("eval", "b", "--tool", "t").code == 1


def test_the_payload_of_every_agent_is_a_call(policyc, bundle):
    stdin = "\n".join(json.dumps(payload) for _target, _event, payload in agent_payloads.SAMPLES)
    answer = policyc("eval", bundle, "--calls", "-", stdin=stdin)
    assert answer.code == 0
    assert {json.loads(line)["verdict"] for line in answer.out.splitlines()} == {"deny"}


def test_a_budget_sees_what_is_said_to_be_counted(policyc, tmp_path):
    policy = tmp_path / "p.yaml"
    policy.write_text(
        "default_verdict: allow\n"
        "rules:\n"
        "  - {priority: 1, label: often, verdict: deny, rate: {max: 10, window_seconds: 60}}\n"
    )
    unknown = policyc("eval", policy, "--tool", "t", "--explain")
    assert unknown.code == 1
    assert "may match" in unknown.out
    assert "rate: nobody counted" in unknown.out
    within = policyc("eval", policy, "--tool", "t", "--counted", "often=10", "--explain")
    assert (within.code, "call 10 of this agent within 60 s, 10 may pass" in within.out) == (0, True)
    assert policyc("eval", policy, "--tool", "t", "--counted", "often=11").code == 1
    assert policyc("eval", policy, "--tool", "t", "--counted", "often").code == 2
