"""What a bundle masks is kept nowhere, by whatever name an agent sends it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import agent_payloads as agents
import pytest
from policyc_server.events.masking import MASKED, hide, mask

from server.in_process import InProcess
from server.process import eventually

SECRET = "correct horse battery"
BUNDLE = """\
bundle: masks
mask: [$.command, $.content, $.password, "$..token", "$.rows[0]"]
"""
POLICY = """\
policy: agent
default_verdict: allow
rules:
  - {priority: 1, label: hold, tool_name_glob: held.*, verdict: pending_approval}
"""
EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "native name": ("claude-code", agents.claude("Bash", {"command": SECRET})),
    "other name": (
        "pre_tool_execution",
        {"tool_call": {"name": "code_execution", "args": {"code": SECRET, "language": "bash"}}},
    ),
    "part": (
        "codex",
        agents.codex(
            "apply_patch", {"command": f"*** Begin Patch\n*** Add File: a\n+{SECRET}\n*** End Patch"}
        ),
    ),
    "anywhere": (
        "claude-code",
        agents.claude("mcp__x__y", {"deep": [{"token": SECRET}], "note": f"is {SECRET}"}),
    ),
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def kept(client_of: Callable[..., InProcess], state: Path, tmp_path: Path) -> InProcess:
    sources = tmp_path / "sources"
    (sources / "policies").mkdir(parents=True)
    (sources / "bundle.yaml").write_text(BUNDLE)
    (sources / "policies" / "agent.yaml").write_text(POLICY)
    return client_of(sources, state=state)


def is_kept(state: Path, text: str) -> bool:
    """Whether any byte of the store says so."""
    return any(text.encode() in path.read_bytes() for path in state.iterdir() if path.is_file())


@pytest.mark.parametrize("name", EVENTS)
def test_no_name_of_an_argument_hides_it_from_the_mask(kept: InProcess, state: Path, name: str) -> None:
    target, event = EVENTS[name]
    kept.post(f"/v1/hooks/{target}", event)
    (found,) = eventually(lambda: kept.get("/v1/events").json()["events"])
    assert MASKED in str(found["args"])
    assert not is_kept(state, SECRET)


def test_what_a_tool_ended_with_repeats_no_masked_argument(kept: InProcess, state: Path) -> None:
    target, event = EVENTS["other name"]
    kept.post(f"/v1/hooks/{target}", event)
    kept.post("/v1/hooks/post_tool_execution", {**event, "error": f"sh: {SECRET}: not found"})
    found = eventually(lambda: [it for it in kept.get("/v1/events").json()["events"] if it["outcome"]])
    assert found[0]["error"] == f"sh: {MASKED}: not found"
    assert not is_kept(state, SECRET)


def test_what_is_masked_is_replaced_and_nothing_else() -> None:
    steps = [[["field", "password"]], [["field", "rows"], ["index", 0]]]
    args = {"password": {"old": 1}, "rows": ["a", "b"], "note": "password"}
    assert mask(args, steps) == {"password": MASKED, "rows": [MASKED, "b"], "note": "password"}
    assert mask([1], steps) == [1]


def test_short_secrets_are_hidden_as_a_whole_alone() -> None:
    assert hide({"a": "no", "b": ["know", 7, None, True]}, ["no"]) == {
        "a": MASKED,
        "b": ["know", 7, None, True],
    }
