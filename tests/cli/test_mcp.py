"""`policyc mcp`: what was accepted of tools, and the command that needs no name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from policyc_server.store.database import sqlite_url
from policyc_server.store.mcp_tools import Definition
from policyc_server.store.store import Store

from policyc.cli.mcp import command

OLD, NEW = '{"name":"get"}', '{"description":"\\u202ego\\nx","name":"get"}'


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A store in which `get` of `crm` has changed."""
    store = Store(sqlite_url(tmp_path))
    store.mcp_tools.see("crm", {"get": Definition("a" * 64, OLD), "put": Definition("b" * 64, OLD)}, 1)
    store.mcp_tools.see("crm", {"get": Definition("c" * 64, NEW)}, 2)
    store.close()
    return tmp_path


def run(*args: object, code: int = 0) -> str:
    result = CliRunner().invoke(command, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result.output


def test_pins_are_listed_accepted_and_forgotten(state: Path) -> None:
    place = ("--state", state)
    listed = run("pins", "list", *place)
    assert "changed   cccccccccccc  crm  get" in listed
    assert "accepted  bbbbbbbbbbbb  crm  put" in listed
    # What a server writes is not what a terminal acts on.
    assert "\u202e" not in listed
    assert 'description: null -> "\\u{202e}go\\nx"' in listed
    document: Any = json.loads(run("pins", "list", "--changed", *place, "--format", "json"))
    assert [pin["tool"] for pin in document["pins"]] == ["get"]

    for fingerprint in ("c" * 11, "a" * 64, "d" * 64):
        assert "pin_unknown" in run("pins", "accept", "crm", "get", fingerprint, *place, code=1)
    run("pins", "accept", "crm", "get", "c" * 12, *place)
    assert run("pins", "list", "--changed", *place) == ""
    assert "2 tools of crm are forgotten" in run("pins", "forget", "crm", *place)
    assert run("pins", "list", *place) == ""


def test_pins_need_one_store(state: Path) -> None:
    assert "place_required" in run("pins", "list", code=2)
    assert "place_required" in run("pins", "list", "--state", state, "--database", "sqlite://", code=2)


def test_a_command_line_without_a_command_wraps(tmp_path: Path) -> None:
    assert "Missing option '--name'" in run("--bundle", tmp_path, "--", "server", code=2)
    assert "Missing argument" in run("--bundle", tmp_path, "--name", "crm", code=2)
    assert "wrap" in run("--help")


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "policyc_server.mcp.stdio.run", None)
    said = run("--bundle", tmp_path, "--name", "crm", "--", "server", code=2)
    assert "mcp_missing" in said
    assert "policyc[mcp]" in said
