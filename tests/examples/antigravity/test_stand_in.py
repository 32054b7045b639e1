"""The stand-in does what it says of itself: the five tools under hooks, and refusals with a reason."""

import json
import runpy
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from examples.antigravity.conftest import EXAMPLE, sources, started

pytestmark = pytest.mark.slow


SCRIPT = runpy.run_path(str(EXAMPLE / "stand_in" / "agent.py"))["SCRIPT"]
AGENT = {"agent": "antigravity-preview-05-2026"}
REMOTE = {"type": "remote"}
TOOLS = "Write `/workspace/notes.txt`, list the folder, read the file, delete it, and read it again."
GATED = "Run `rm -rf /tmp/forbidden` using code_execution."


def post(stand_in, document, path="/v1beta/interactions", key="key"):
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    request = urllib.request.Request(stand_in.url + path, body, {"x-goog-api-key": key} if key else {})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)["error"]["message"]


def results(interaction):
    return [
        (step["is_error"], step["result"])
        for step in interaction["steps"]
        if step["type"] == "function_result"
    ]


def test_the_file_tools(stand_in):
    _, done = post(stand_in, {**AGENT, "input": TOOLS, "environment": REMOTE})
    assert results(done) == [
        (False, "written"),
        (False, '["notes.txt"]'),
        (False, "a note"),
        (False, "deleted"),
        (True, "/workspace/notes.txt: No such file or directory"),
    ]
    assert done["status"] == "completed"


def test_without_hooks_the_command_runs_inside_the_sandbox(stand_in):
    """What the gate is for; and that the stand-in executes what it says it does."""
    kept = {"type": "inline", "target": "tmp/forbidden/kept.txt", "content": "x"}
    _, done = post(stand_in, {**AGENT, "input": GATED, "environment": {**REMOTE, "sources": [kept]}})
    assert results(done) == [(False, "")]
    assert [path.name for path in (stand_in.sandboxes / done["environment_id"] / "tmp").iterdir()] == []


def test_the_gate_keeps_its_own_hooks(stand_in):
    environment = json.loads(sources("security_gate"))
    _, done = post(stand_in, {**AGENT, "input": "Switch your hooks off.", "environment": environment})
    [(is_error, reason)] = results(done)
    assert is_error
    assert reason
    assert (stand_in.sandboxes / done["environment_id"] / ".agents/hooks.json").read_text() != "{}"


def test_the_environment_lives_on_with_the_hooks_in_it(stand_in):
    _, first = post(stand_in, {**AGENT, "input": GATED, "environment": json.loads(sources("security_gate"))})
    again = {"environment": first["environment_id"], "previous_interaction_id": first["id"]}
    _, second = post(stand_in, {**AGENT, "input": [{"type": "text", "text": GATED}], **again})
    assert second["previous_interaction_id"] == first["id"]
    assert results(first) == results(second)
    [(is_error, reason)] = results(second)
    assert is_error
    assert "Destructive command blocked by security gate." in reason


SEEDS = Path(__file__).parents[2] / "hooks"


@pytest.mark.parametrize(
    ("seed", "script", "inputs", "expected"),
    [
        ("gate", "gate.py", [GATED], [(True, "Destructive command blocked by security gate.")]),
        ("gate", "gate.py", ["Run `rm -fr /tmp/forbidden` using code_execution."], [(False, "")]),
        (
            "privacy",
            "check_privacy.py",
            [text for text in SCRIPT if "employees.json" in text or "summary.json" in text],
            [
                (
                    True,
                    "Access to confidential `/private/` records is blocked by PII compliance policy. "
                    "Query approved `/public/` summary tables instead.",
                ),
                (False, '{"team_size": 42}'),
            ],
        ),
    ],
)
def test_the_hooks_of_the_documentation_as_they_are(stand_in, seed, script, inputs, expected):
    """The second row is public case C57: what its script misses, and the compiled policy does not."""
    given = [
        inline(".agents/hooks.json", (SEEDS / "seed" / f"{seed}.json").read_text()),
        inline(f".agents/hooks-scripts/{script}", (SEEDS / "runtime/seed_scripts" / script).read_text()),
        inline("tmp/forbidden/kept.txt"),
        inline("workspace/private/employees.json", "{}"),
        inline("workspace/public/summary.json", '{"team_size": 42}'),
    ]
    found, then = [], {"environment": {**REMOTE, "sources": given}}
    for text in inputs:
        _, done = post(stand_in, {**AGENT, "input": text, **then})
        found += results(done)
        then = {"environment": done["environment_id"], "previous_interaction_id": done["id"]}
    assert found == expected
    kept = stand_in.sandboxes / done["environment_id"] / "tmp/forbidden/kept.txt"
    assert kept.exists() == (expected != [(False, "")])


def inline(target="a", content="x"):
    return {"type": "inline", "target": target, "content": content}


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (b"{", ""),
        ({"input": TOOLS, "environment": REMOTE}, "no agent"),
        ({**AGENT, "input": "Do what I mean.", "environment": REMOTE}, TOOLS),
        ({**AGENT, "input": TOOLS, "environment": "env_9"}, "environment is neither"),
        (
            {**AGENT, "input": TOOLS, "environment": REMOTE, "previous_interaction_id": "v1_9"},
            "no interaction",
        ),
        (
            {**AGENT, "input": TOOLS, "environment": {**REMOTE, "sources": [{"type": "gcs"}]}},
            "inline sources only",
        ),
        (
            {**AGENT, "input": TOOLS, "environment": {**REMOTE, "sources": [inline("../../x")]}},
            "outside the sandbox",
        ),
        (
            {**AGENT, "input": TOOLS, "environment": {**REMOTE, "sources": [inline("x", "x" * 1_000_001)]}},
            "at most 1 MB",
        ),
        (
            {
                **AGENT,
                "input": TOOLS,
                "environment": json.loads(sources("audit_streaming", "--keep-variables")),
            },
            "TELEMETRY_TOKEN",
        ),
    ],
)
def test_a_request_that_the_api_would_not_take(stand_in, request_, said):
    status, message = post(stand_in, request_)
    assert status == 400
    assert said in message


def test_a_key_and_the_path_are_needed(stand_in):
    assert post(stand_in, {}, key=None)[0] == 401
    assert post(stand_in, {}, path="/v1beta/models")[0] == 404


def test_nothing_is_left_when_it_ends():
    with started(EXAMPLE / "stand_in", "--port", "0") as (process, line):
        folder = Path(line.strip().partition("  sandboxes in ")[2])
        assert folder.is_dir()
        process.terminate()
        assert process.wait() == 0
    assert not folder.exists()
