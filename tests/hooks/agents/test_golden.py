"""What is written for each agent, to the letter. The gate's own files are the gate's tests'."""

from pathlib import Path

import pytest
from hooks.agents.bundles import AGENTS, bundle, without_gate

from policyc.hooks.generate import TARGETS, agent, generate_hooks
from policyc.hooks.write import drift, write_files

GOLDEN = Path(__file__).parent / "golden"


def tree(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_every_agent_is_a_target():
    assert ("managed", *AGENTS) == TARGETS
    assert [agent(name).name for name in AGENTS] == list(AGENTS)
    assert [agent(name).dialect.name for name in AGENTS] == list(AGENTS)


@pytest.mark.parametrize("name", AGENTS)
def test_the_files(name, tmp_path):
    generated = without_gate(generate_hooks(bundle(server=True), name))
    write_files(generated, tmp_path)
    assert tree(tmp_path) == tree(GOLDEN / name)


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_said(name):
    generated = generate_hooks(bundle(server=True), name)
    lines = [f"{one.what} => {one.rule or '(none)'} | {one.why}" for one in generated.native]
    text = "\n".join([*lines, *generated.notes]) + "\n"
    assert text == (GOLDEN / f"{name}.notes.txt").read_text("utf-8")


@pytest.mark.parametrize("name", AGENTS)
def test_writing_twice_changes_nothing(name, tmp_path):
    generated = without_gate(generate_hooks(bundle(server=True), name))
    write_files(generated, tmp_path)
    before = tree(tmp_path)
    assert drift(generated, tmp_path) == []
    write_files(generated, tmp_path)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", AGENTS)
def test_the_server_and_its_rules_leave_no_trace_when_they_go(name, tmp_path):
    write_files(without_gate(generate_hooks(bundle(server=True), name)), tmp_path)
    alone = without_gate(generate_hooks(bundle(rules=[]), name))
    write_files(alone, tmp_path)
    assert drift(alone, tmp_path) == []
    text = "".join(tree(tmp_path).values())
    assert "policy.example.com" not in text
    assert "WebFetch" not in text
