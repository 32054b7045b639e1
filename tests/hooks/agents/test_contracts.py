"""How each agent takes what a hook answers: the table of its contract, row by row."""

import json
import signal

import pytest
from hooks.agents.bundles import AGENTS

from policyc.hooks.agents import judging
from policyc.hooks.generate import agent
from policyc.hooks.target import Run


def nested(word, reason="R", **more):
    inner = {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": reason}
    return json.dumps({"hookSpecificOutput": inner, **more})


def said(**document):
    return json.dumps(document)


#: What a hook process did -> what it printed and how it ended.
RUNS = {
    "crash": Run(exit_code=-signal.SIGSEGV),
    "killed": Run(exit_code=-signal.SIGKILL, stderr="Killed"),
    "exit 1": Run(exit_code=1),
    "exit 1, text": Run(exit_code=1, stderr="Traceback"),
    "not found": Run(exit_code=127, stderr="python3: not found"),
    "exit 2": Run(exit_code=2),
    "exit 2, reason": Run(exit_code=2, stderr="R"),
    "exit 2, {}": Run(stdout="{}", exit_code=2, stderr="R"),
    "timeout": Run(timed_out=True, exit_code=-signal.SIGKILL),
    "timeout, deny": Run(stdout=nested("deny"), timed_out=True, exit_code=-signal.SIGKILL),
    "{}": Run(stdout="{}"),
    "empty": Run(),
    "garbage": Run(stdout="Welcome to fish\n"),
    "a list": Run(stdout="[]"),
}
ran, blocked, asked = "ran", "blocked", "asked"
#: Agent -> what it does after each run that has no decision; what is not listed here runs the call.
BLOCKED = {
    "agy": ["{}", "empty"],
    "claude-code": ["exit 2", "exit 2, reason", "exit 2, {}"],
    "gemini-cli": ["exit 2, reason", "not found"],
    "cursor": ["exit 2", "exit 2, reason", "exit 2, {}", "garbage", "a list"],
    "codex": ["exit 2, reason", "exit 2, {}"],
    "copilot": [
        "crash",
        "killed",
        "exit 1",
        "exit 1, text",
        "not found",
        "exit 2",
        "exit 2, reason",
        "exit 2, {}",
    ],
    "vscode": ["exit 2", "exit 2, reason", "exit 2, {}"],
    "windsurf": ["exit 2", "exit 2, reason", "exit 2, {}"],
    "kiro": ["exit 2", "exit 2, reason", "exit 2, {}"],
    "qwen": ["exit 2", "exit 2, reason", "exit 2, {}"],
    "opencode": ["exit 2", "exit 2, reason", "exit 2, {}", "timeout", "timeout, deny"],
    "cline": [],
}


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("run", RUNS)
def test_without_a_decision(name, run):
    assert agent(name).judge(RUNS[run]) == (blocked if run in BLOCKED[name] else ran)


FAILURES = ("crash", "killed", "exit 1", "exit 1, text", "not found", "timeout", "timeout, deny")
#: The switches of an agent that fails closed, and the runs that then block too.
SWITCHED = {
    "claude-code": (
        {"onFailure": "block"},
        [*FAILURES, "garbage", "a list"],
    ),
    "cursor": (
        {"failClosed": True},
        [*FAILURES, "empty"],
    ),
}


@pytest.mark.parametrize("name", SWITCHED)
@pytest.mark.parametrize("run", RUNS)
def test_a_switch_closes_what_was_open(name, run):
    entry, more = SWITCHED[name]
    found = RUNS[run]
    switched = Run(found.stdout, found.stderr, found.exit_code, found.timed_out, entry)
    assert agent(name).judge(switched) == (blocked if run in BLOCKED[name] + more else ran)


#: Agent -> its deny, allow and ask, with what becomes of the call.
DECISIONS = [
    ("agy", said(decision="deny", reason="R"), blocked),
    ("agy", said(decision="allow"), ran),
    ("agy", said(decision="ask"), asked),
    ("agy", said(decision="force_ask"), asked),
    ("agy", said(reason="no decision"), blocked),
    ("claude-code", nested("deny"), blocked),
    ("claude-code", nested("allow"), ran),
    ("claude-code", nested("ask"), asked),
    ("claude-code", nested("nonsense"), ran),
    ("claude-code", said(permissionDecision="deny"), ran),
    ("gemini-cli", said(decision="deny", reason="R"), blocked),
    ("gemini-cli", said(decision="block"), blocked),
    ("gemini-cli", said(decision="allow"), ran),
    ("gemini-cli", said(decision="ask"), asked),
    ("gemini-cli", nested("deny"), ran),
    ("cursor", said(permission="deny"), blocked),
    ("cursor", said(permission="allow"), ran),
    ("cursor", said(permission="ask"), ran),
    ("codex", nested("deny"), blocked),
    ("codex", nested("allow"), ran),
    ("codex", nested("ask"), ran),
    ("codex", nested("deny", reason=" "), ran),
    ("codex", nested("deny", **{"continue": False}), ran),
    ("codex", nested("deny", suppressOutput=True), ran),
    ("copilot", said(permissionDecision="deny", permissionDecisionReason="R"), blocked),
    ("copilot", said(permissionDecision="allow"), ran),
    ("copilot", said(permissionDecision="ask"), asked),
    ("copilot", '{"type":"progress","message":"..."}\n{"permissionDecision":"deny"}', blocked),
    ("vscode", nested("deny"), blocked),
    ("vscode", nested("allow"), ran),
    ("vscode", nested("ask"), asked),
    ("windsurf", nested("deny"), ran),
    ("kiro", nested("deny"), ran),
    ("qwen", nested("deny"), blocked),
    ("qwen", nested("allow"), ran),
    ("qwen", nested("ask"), asked),
    ("opencode", said(decision="deny"), ran),
    ("cline", said(cancel=True, errorMessage="R"), blocked),
    ("cline", said(cancel=False), ran),
    ("cline", said(cancel="true"), ran),
]


@pytest.mark.parametrize(("name", "stdout", "judgement"), DECISIONS)
def test_a_decision(name, stdout, judgement):
    assert agent(name).judge(Run(stdout=stdout)) == judgement


#: What two documents, or a line before the document, do to a deny; Cursor stops at what is no JSON.
@pytest.mark.parametrize(
    ("name", "judgement"), [(name, blocked if name == "cursor" else ran) for name in AGENTS]
)
@pytest.mark.parametrize("shape", ["{0}\n{0}", "profile loaded\n{0}", "{0} trailing"])
def test_c14_more_than_one_document_is_no_deny(name, judgement, shape):
    denies = [text for agent_name, text, found in DECISIONS if agent_name == name and found == blocked]
    for text in denies:
        assert agent(name).judge(Run(stdout=shape.replace("{0}", text))) == judgement


#: A document counts whatever the exit code on Claude Code and Gemini CLI; elsewhere it does not.
@pytest.mark.parametrize(
    ("name", "stdout", "code", "judgement"),
    [
        ("claude-code", nested("deny"), 1, blocked),
        ("claude-code", nested("allow"), 2, blocked),
        ("gemini-cli", said(decision="deny"), 1, blocked),
        ("gemini-cli", said(decision="allow"), 2, ran),
        ("gemini-cli", "{}", 2, ran),
        ("gemini-cli", "stopped", 1, ran),
        ("gemini-cli", "stopped", 2, blocked),
        ("codex", nested("deny"), 1, ran),
        ("copilot", said(permissionDecision="allow"), 1, blocked),
        ("qwen", nested("deny"), 1, ran),
        ("cline", said(cancel=True), 1, blocked),
        ("agy", said(decision="allow"), 2, ran),
    ],
)
def test_a_document_and_an_exit_code(name, stdout, code, judgement):
    assert agent(name).judge(Run(stdout=stdout, exit_code=code)) == judgement


def test_gemini_reads_a_document_from_stderr_when_stdout_is_empty():
    assert agent("gemini-cli").judge(Run(stderr=said(decision="deny"))) == blocked


@pytest.mark.parametrize("text", ["[" * 100_000, "nul", "1", '"x"', "\ufeff{}", ""])
def test_only_an_object_is_a_document(text):
    assert judging.document(text) is None
