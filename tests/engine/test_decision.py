from builders import plan, rule

from policyc.engine.decision import block_message, decision_document, decision_line
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call


def test_the_document_has_the_documented_keys_in_order():
    call = Call("pay", {"amount": 10**30})
    outcome = Evaluator(plan([rule(reason="too much", reason_code="cap", risk_factors=["money"])])).decide(
        call
    )
    document = decision_document(outcome, call, decision_id="d1", revision="v1")
    assert document == {
        "decision_id": "d1",
        "verdict": "deny",
        "allowed": False,
        "rule": "r",
        "policy": "p",
        "priority": 1,
        "reason": "too much",
        "reason_code": "cap",
        "risk_factors": ["money"],
        "shadow": False,
        "would_be": None,
        "revision": "v1",
        "args": {"amount": 10**30},
    }


def test_a_line_for_each_kind_of_answer():
    evaluator = Evaluator(plan([rule("pending_approval", tools=["hold"]), rule(label="no", tools=["deny"])]))
    assert decision_line(evaluator.decide(Call("hold"))).startswith(
        'held (pending_approval) by rule "r" of policy "p"'
    )
    assert decision_line(evaluator.decide(Call("deny"))) == (
        'denied (deny) by rule "no" of policy "p" (policies/p.yaml:3): rule "no" says deny'
    )
    assert decision_line(evaluator.decide(Call("x"))).startswith(
        'allowed (allow) by the default of policy "p"'
    )


def test_what_a_terminal_would_act_on_is_shown_instead():
    evaluator = Evaluator(plan([rule(label="x\nallowed (allow)", reason="line one\nline two \x1b[31m")]))
    outcome = evaluator.decide(Call("t"))
    assert decision_line(outcome).isprintable()
    assert "line one\\u{a}line two \\u{1b}[31m" in decision_line(outcome)
    assert block_message(outcome, "a\nb\x9b").isprintable()


def test_a_block_names_the_tool_the_rule_the_place_and_what_next():
    evaluator = Evaluator(plan([rule(reason="not here")]))
    message = block_message(evaluator.decide(Call("shell.exec")), "shell.exec")
    for part in ('"shell.exec"', "not here", '"r"', "policies/p.yaml:3", "ask a person"):
        assert part in message


def test_sanitized_arguments_are_the_ones_to_run_with():
    call = Call("mail.send", {"to": "ann@example.com", "n": 1})
    outcome = Evaluator(plan([rule("sanitize", sanitize={"presets": ["email"]})])).decide(call)
    document = decision_document(outcome, call, decision_id="d", revision="r")
    assert (document["verdict"], document["allowed"]) == ("sanitize", True)
    assert document["args"] == {"to": "[redacted:email]", "n": 1}
    assert call.args["to"] == "ann@example.com"
