"""Every target as it is generated: all that can be closed is closed."""

import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hooks.doctor.repositories import compiled, repository

from policyc.hooks.doctor.diagnose import diagnose
from policyc.hooks.generate import TARGETS

pytestmark = pytest.mark.slow


NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="the plugin runs under node")
EACH = [pytest.param(name, marks=NEEDS_NODE) if name == "opencode" else name for name in TARGETS]
#: What no setting of an agent closes. Every other situation is closed, or is not the agent's.
LIMITS = {name: {"python-prints", "python-hangs"} for name in TARGETS} | {
    "claude-code": set(),
    "cursor": set(),
    "cline": {"python-hangs"},
    "opencode": set(),
}
NO_MODE = {
    "managed",
    "agy",
    "gemini-cli",
    "cursor",
    "copilot",
    "vscode",
    "windsurf",
    "kiro",
    "opencode",
    "cline",
}
ASKING = {"managed", "claude-code", "codex", "copilot", "qwen"}
RAW = {"garbage", "empty", "byte-order-mark", "deadline"}
#: The public failures that have a row.
CASES = {"C07", "C08", "C14", "C15", "C16", "C17", "C22"}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The table of every target, with the timeouts that are generated: they wait at the same time."""
    data = compiled(tmp_path_factory.mktemp("bundle") / "b")
    folders = {
        name: repository(data, name, tmp_path_factory.mktemp("my repo") / name)
        for name in TARGETS
        if name != "opencode" or shutil.which("node")
    }
    # Not threads: what one writes to be run, another that forks just then would hold open, and it is busy.
    with ProcessPoolExecutor(len(folders), mp_context=get_context("spawn")) as pool:
        return dict(zip(folders, pool.map(diagnose, folders, folders.values()), strict=True))


@pytest.mark.parametrize("name", EACH)
def test_all_that_can_be_closed_is(name, tables):
    found = {row.name: row.status for row in tables[name]}
    assert {row for row, status in found.items() if status == "cannot be closed"} == LIMITS[name]
    skipped = {row for row, status in found.items() if status == "not exercised"}
    expected = (
        ({"unknown-mode"} if name in NO_MODE else set())
        | (set() if name in ASKING else {"dead-evaluator", "hanging-evaluator"})
        | (RAW if name == "opencode" else set())
    )
    assert skipped == expected
    assert {found[row] for row in found.keys() - skipped - LIMITS[name]} == {"closed"}


@pytest.mark.parametrize("name", EACH)
def test_every_public_failure_of_wiring_has_a_row(name, tables):
    assert {case for row in tables[name] for case in row.cases} == CASES


def test_what_stays_open_says_why(tables):
    for rows in tables.values():
        for row in rows:
            assert row.why
            if row.status == "cannot be closed":
                assert "this agent" in row.why


def test_an_evaluator_that_the_agent_asks_is_said_to_be_out_of_reach(tables):
    for name in ("claude-code", "copilot", "qwen"):
        [row] = [row for row in tables[name] if row.name == "dead-evaluator"]
        assert "the agent asks the evaluator itself" in row.why
    [hanging] = [row for row in tables["codex"] if row.name == "hanging-evaluator"]
    assert "curl: (28)" in hanging.why
    [dead] = [row for row in tables["managed"] if row.name == "dead-evaluator"]
    assert "already_denied" in dead.why
