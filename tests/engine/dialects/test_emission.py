"""What each agent's hook prints and how it exits, for every outcome."""

# Rows of a table stay on their lines.
# ruff: noqa: E501

import json

import agent_payloads as agents
import pytest
from agent_payloads import SAMPLES
from builders import plan, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.calls import read_call
from policyc.engine.decision import arguments, block_message
from policyc.engine.dialects import MODULES, detect, load
from policyc.engine.dialects.answers import LONGEST_REASON
from policyc.engine.dialects.lowering import lowered
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import VERDICTS, Outcome

R = "because"


def nested(word, **more):
    inner = {"hookEventName": "PreToolUse", "permissionDecision": word, **more}
    return {"hookSpecificOutput": inner}


def said(word):
    return nested(word, permissionDecisionReason=R)


def flat(word):
    return {"permissionDecision": word, "permissionDecisionReason": R}


SILENT = ("", "", 0)
EXIT_2 = ("", R, 2)
ALLOW = {"decision": "allow"}
DENY = {"decision": "deny", "reason": R}
CURSOR = {"permission": "deny", "user_message": R, "agent_message": R}
COPILOT = {**flat("deny"), **said("deny")}
CANCEL = {"cancel": True, "errorMessage": R}

#: target -> allow, deny, ask (None: lowered to the deny), a fault of the guard, and an event after the tool.
TABLE = {
    "managed": (ALLOW, DENY, None, DENY, {}),
    "agy": (ALLOW, DENY, {"decision": "force_ask", "reason": R}, DENY, ALLOW),
    "claude-code": (SILENT, said("deny"), said("ask"), EXIT_2, SILENT),
    "qwen": (SILENT, said("deny"), said("ask"), EXIT_2, SILENT),
    "vscode": (SILENT, said("deny"), said("ask"), EXIT_2, SILENT),
    "codex": (SILENT, said("deny"), None, EXIT_2, SILENT),
    "gemini-cli": (ALLOW, DENY, None, EXIT_2, {}),
    "cursor": ({"permission": "allow"}, CURSOR, None, EXIT_2, {}),
    "copilot": (SILENT, COPILOT, {**flat("ask"), **said("ask")}, COPILOT, SILENT),
    "windsurf": (SILENT, EXIT_2, None, EXIT_2, SILENT),
    "kiro": (SILENT, EXIT_2, None, EXIT_2, SILENT),
    "opencode": (ALLOW, DENY, None, DENY, {}),
    "cline": ({"cancel": False}, CANCEL, None, CANCEL, {"cancel": False}),
}
CALL = read_call({"tool_name": "x", "tool_input": {"a": "b"}})


def written(answer):
    """A document alone on standard output, else all three."""
    if answer.stdout and not answer.stderr and not answer.exit_code:
        return json.loads(answer.stdout)
    return (answer.stdout, answer.stderr, answer.exit_code)


def answered(target, verdict):
    dialect = load(target)
    outcome = lowered(Outcome(verdict, R, "rule_match"), dialect)
    return written(dialect.answer(outcome, R, CALL))


def test_the_table_has_every_target():
    assert set(TABLE) == set(MODULES)


@pytest.mark.parametrize("target", TABLE)
def test_the_emission_table(target):
    allow, deny, ask, fault, done = TABLE[target]
    dialect = load(target)
    assert answered(target, "allow") == answered(target, "audit") == allow
    assert answered(target, "deny") == written(dialect.deny(R)) == deny
    assert answered(target, "pending_approval") == (deny if ask is None else ask)
    assert written(dialect.refusal(R)) == fault
    assert written(dialect.done()) == done


#: How the agent takes other arguments: all of them, never a part.
REWRITES = {
    "claude-code": nested("ask", permissionDecisionReason=R, updatedInput={"new": 1}),
    "qwen": nested("ask", permissionDecisionReason=R, updatedInput={"new": 1}),
    "vscode": nested("ask", permissionDecisionReason=R, updatedInput={"new": 1}),
    "codex": nested("allow", updatedInput={"new": 1}),
    "gemini-cli": {**ALLOW, "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"new": 1}}},
    "cursor": {"permission": "allow", "updated_input": {"new": 1}},
    "copilot": {
        **flat("ask"),
        "modifiedArgs": {"new": 1},
        **nested("ask", permissionDecisionReason=R, updatedInput={"new": 1}),
    },
    "opencode": {**ALLOW, "args": {"new": 1}},
    "cline": {"cancel": False, "overrideInput": {"new": 1}},
}


@pytest.mark.parametrize("target", TABLE)
def test_rewritten_arguments(target):
    dialect = load(target)
    outcome = lowered(Outcome("sanitize", R, "rule_match", sanitize={"presets": ["email"]}), dialect)
    answer = written(dialect.answer(outcome, R, CALL, {"new": 1}))
    assert answer == REWRITES.get(target, TABLE[target][1])
    assert ("sanitize" in dialect.carries) == (target in REWRITES)


@pytest.mark.parametrize("target", REWRITES)
def test_a_rewrite_without_arguments_is_a_deny_and_one_that_changes_nothing_an_allow(target):
    outcome = Outcome("sanitize", R, "rule_match", sanitize={"presets": ["email"]})
    assert written(load(target).answer(outcome, R, CALL)) == TABLE[target][1]
    assert written(load(target).answer(outcome, R, CALL, {"a": "b"})) == TABLE[target][0]


@pytest.mark.parametrize("target", TABLE)
@pytest.mark.parametrize("verdict", VERDICTS)
def test_lowering_leaves_only_verdicts_that_the_target_carries(target, verdict):
    dialect = load(target)
    outcome = lowered(Outcome(verdict, R, "rule_match", rule="r", policy="p"), dialect)
    assert outcome.verdict in {"allow", "audit", "deny", *dialect.carries}
    if outcome.verdict != verdict:
        assert (outcome.verdict, outcome.rule, outcome.policy) == ("deny", "r", "p")
        assert R in outcome.reason
    if verdict == "pending_approval" and outcome.verdict == "deny":
        assert "needs a server handler" in outcome.reason


BAD_REASONS = [
    "",
    " \n",
    "a\x00b\x1b[31m\nc",
    "\ud800",
    "\u202e",
    "x" * 100_000,
    "\x01" * 100_000,
    "💥" * 5000,
]


@pytest.mark.parametrize("target", TABLE)
@pytest.mark.parametrize("reason", BAD_REASONS, ids=range(len(BAD_REASONS)))
def test_a_reason_is_never_blank_never_endless_and_always_printable(target, reason):
    dialect = load(target)
    for answer in (dialect.deny(reason), dialect.refusal(reason)):
        text = answer.stdout + answer.stderr
        assert text.strip()
        text.encode("utf-8")
        for said_text in strings(json.loads(answer.stdout)) if answer.stdout else [answer.stderr]:
            assert said_text.strip()
            assert said_text.isprintable()
            assert len(said_text) <= 12 * LONGEST_REASON


def strings(value):
    if isinstance(value, dict):
        return [text for child in value.values() for text in strings(child)]
    return [value] if isinstance(value, str) else []


@given(st.sampled_from(sorted(MODULES)), st.text(), st.sampled_from(VERDICTS))
def test_standard_output_is_one_document_or_nothing(target, reason, verdict):
    dialect = load(target)
    answer = dialect.answer(lowered(Outcome(verdict, reason, "x"), dialect), reason, CALL, {"k": reason})
    assert answer.exit_code in (0, 2)
    assert not answer.stdout or isinstance(json.loads(answer.stdout), dict)
    assert answer.stdout.isascii()


SECRET = "mail me at jane@corp.example"
REDACTED = "mail me at [redacted:email]"
SANITIZE = plan([rule("sanitize", sanitize={"presets": ["email"]})])


def decided(payload):
    dialect = detect(payload, None)
    call = dialect.read(payload)
    outcome = lowered(Evaluator(SANITIZE).decide(call), dialect)
    args = arguments(outcome, call) if outcome.sanitize is not None else None
    return outcome.verdict, dialect.answer(outcome, block_message(outcome, call.tool), call, args)


#: What carries the agent's own arguments, whole and redacted.
CARRIED = [
    (agents.claude("Bash", {"command": SECRET, "timeout": 5}), {"command": REDACTED, "timeout": 5}),
    (agents.codex("apply_patch", {"command": "*** Add File: a\n+" + SECRET}), {"command": "*** Add File: a\n+" + REDACTED}),
    (agents.copilot("bash", json.dumps({"command": SECRET})), {"command": REDACTED}),
    (agents.gemini("run_shell_command", {"command": SECRET, "dir_path": "x"}), {"command": REDACTED, "dir_path": "x"}),
    (agents.cursor("preToolUse", tool_name="Shell", tool_input={"command": SECRET}), {"command": REDACTED}),
    (agents.cline_sdk("run_commands", {"commands": ["ls", SECRET]}), {"commands": ["ls", REDACTED]}),
    (agents.opencode("bash", {"command": SECRET}), {"command": REDACTED}),
]  # fmt: skip


@pytest.mark.parametrize(("payload", "args"), CARRIED)
def test_a_sanitized_call_hands_back_the_agents_own_arguments(payload, args):
    verdict, answer = decided(payload)
    assert verdict == "sanitize"
    assert SECRET not in answer.stdout
    assert contains(json.loads(answer.stdout), args)


def contains(document, wanted):
    return document == wanted or (
        isinstance(document, dict) and any(contains(child, wanted) for child in document.values())
    )


NOT_CARRIED = [
    agents.managed("code_execution", {"code": SECRET}),
    agents.agy("run_command", {"CommandLine": SECRET}),
    agents.windsurf("pre_run_command", command_line=SECRET),
    agents.kiro("execute_bash", {"command": SECRET}),
    agents.cursor("beforeShellExecution", command=SECRET),
    agents.cursor("beforeMCPExecution", tool_name="t", tool_input=json.dumps({"x": SECRET}), mcp_server_name="s"),
    # C21: what Cursor is given for Write it drops.
    agents.cursor("preToolUse", tool_name="Write", tool_input={"path": "a", "content": SECRET}),
    agents.cline_extension("run_commands", {"commands": json.dumps([SECRET])}),
]  # fmt: skip


@pytest.mark.parametrize("payload", NOT_CARRIED)
def test_where_nothing_can_be_rewritten_a_sanitized_call_is_denied(payload):
    verdict, answer = decided(payload)
    assert verdict == "deny"
    dialect = detect(payload, None)
    assert written(answer) == written(dialect.deny(REASON_OF_RULE % dialect.read(payload).tool))


REASON_OF_RULE = (
    'tool "%s" blocked by firewall: rule "r" says sanitize [rule "r" of policy "p" (policies/p.yaml:3)]. '
    "The same call will be blocked again: change the call, use another tool, or ask a person."
)


def test_an_ask_becomes_a_deny_on_cursor():
    """C21: its own allow-list overrides an ask."""
    hold = plan([rule("pending_approval")])
    for _target, event, payload in SAMPLES:
        dialect = detect(payload, None)
        if dialect.name == "cursor" and event == "pre":
            outcome = lowered(Evaluator(hold).decide(dialect.read(payload)), dialect)
            assert json.loads(dialect.answer(outcome, R, CALL).stdout) == CURSOR


def test_a_hold_that_is_asked_and_one_that_is_not_read_differently():
    hold = Outcome("pending_approval", "Deploys need a person.", "x", rule="r", policy="p", source="f:1")
    assert block_message(hold, "t").startswith('tool "t" needs approval: Deploys need a person. [rule "r"')
    assert "blocked by firewall" in block_message(lowered(hold, load("codex")), "t")
