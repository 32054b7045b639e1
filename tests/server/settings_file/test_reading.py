from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from policyc_server.settings_file.mcp_server import McpServer
from policyc_server.settings_file.prices import Price
from policyc_server.settings_file.reading import SettingsFile, SettingsFileError, read_settings, schema_text
from policyc_server.settings_file.upstream import Upstream

WHOLE = b"""\
upstreams:
  claude:
    kind: anthropic
    base_url: https://api.anthropic.com/
    credential_env: ANTHROPIC_API_KEY
    on_denied_tool: strip
    max_rounds: 1
  local:
    kind: openai
    base_url: http://127.0.0.1:8000
prices:
  - {model: "claude-*", input: 300, output: 1500, cached_input: 30}
"""


def problems(content: bytes) -> list[tuple[str, int, int]]:
    with pytest.raises(SettingsFileError) as error:
        read_settings("settings.yaml", content)
    assert error.value.content == content
    return [(found.code, found.line, found.column) for found in error.value.diagnostics]


def test_a_file_becomes_upstreams_and_prices() -> None:
    found = read_settings("settings.yaml", WHOLE)
    claude, local = found.upstreams
    assert claude == Upstream(
        "claude",
        "anthropic",
        "https://api.anthropic.com",
        credential_env="ANTHROPIC_API_KEY",
        on_denied_tool="strip",
        max_rounds=1,
    )
    assert (local.name, local.on_denied_tool, local.max_rounds) == ("local", "block", 2)
    (price,) = found.prices
    assert (price.input, price.output, price.cached_input, price.cache_write) == (300, 1500, 30, 300)


def test_every_key_may_be_left_out() -> None:
    assert read_settings("settings.yaml", b"{}") == SettingsFile()


@pytest.mark.parametrize(
    ("content", "code", "line", "column"),
    [
        (b"upstream: {}\n", "unknown_key", 1, 1),
        (b"upstreams:\n  x: {kind: openai}\n", "missing_key", 2, 6),
        (b"upstreams:\n  x: {kind: azure, base_url: 'https://a'}\n", "unknown_choice", 2, 13),
        (b"upstreams:\n  X: {kind: openai, base_url: 'https://a'}\n", "bad_name", 2, 6),
        (b"upstreams:\n  x: {kind: openai, base_url: 'ftp://a'}\n", "bad_url", 2, 31),
        (b"upstreams:\n  x: {kind: openai, base_url: 'https://me:secret@a'}\n", "bad_url", 2, 31),
        (b"upstreams:\n  x: {kind: openai, base_url: 'https://a?key=1'}\n", "bad_url", 2, 31),
        (b"upstreams:\n  x: {kind: openai, max_rounds: 99, base_url: 'https://a'}\n", "out_of_range", 2, 33),
        (b"prices: [{model: x, input: -1, output: 2}]\n", "out_of_range", 1, 28),
        (b"upstreams: {\n", "syntax_error", 2, 1),
    ],
)
def test_a_wrong_file_says_where(content: bytes, code: str, line: int, column: int) -> None:
    assert (code, line, column) in problems(content)


def test_a_credential_does_not_travel_in_the_clear() -> None:
    entry = "upstreams: {x: {kind: openai, base_url: 'http://llm.example.com', %s}}"
    for key in ("credential_env: KEY", "passthrough_auth: true"):
        assert [code for code, *_ in problems((entry % key).encode())] == ["bad_url"]
    assert read_settings("settings.yaml", (entry % "max_rounds: 0").encode()).upstreams


def serve(folder: Path, content: bytes, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "settings.yaml").write_bytes(content)
    command = [sys.executable, "-m", "policyc", "serve", "--bundle", "nothing", "--settings", "settings.yaml"]
    environment = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_serve_shows_the_line_that_is_wrong_and_ends_with_2(tmp_path: Path) -> None:
    found = serve(tmp_path, b"upstreams:\n  x: {kind: opnai, base_url: 'https://a'}\n")
    assert found.returncode == 2
    assert "settings.yaml:2:13: error[unknown_choice]" in found.stderr
    assert "  help: did you mean `openai`?" in found.stderr


def test_serve_names_the_credential_that_is_missing(tmp_path: Path) -> None:
    content = b"upstreams: {x: {kind: openai, base_url: 'https://a', credential_env: NO_SUCH_KEY}}\n"
    found = serve(tmp_path, content)
    assert found.returncode == 2
    assert "error[credential_missing]: upstream x: NO_SUCH_KEY is not in the environment" in found.stderr
    assert "credential_missing" not in serve(tmp_path, content, NO_SUCH_KEY="k").stderr


def test_the_schema_knows_every_key_that_is_lowered() -> None:
    schema = json.loads(schema_text())["$defs"]
    for name, made in (("upstream", Upstream), ("price", Price)):
        assert {*schema[name]["properties"], "name"} >= {field.name for field in fields(made)}


def test_mcp_servers_have_names_that_rules_can_use_and_headers_of_their_own() -> None:
    found = read_settings(
        "settings.yaml",
        b"mcp_servers:\n  crm:\n    url: https://crm.example.com/mcp\n"
        b"    headers: {Authorization: 'Bearer ${CRM_TOKEN}'}\n    answer_timeout: 5\n",
    )
    (crm,) = found.mcp_servers
    assert crm == McpServer(
        "crm",
        "https://crm.example.com/mcp",
        headers=(("Authorization", "Bearer ${CRM_TOKEN}"),),
        answer_timeout=5,
    )
    assert list(crm.missing()) == ["CRM_TOKEN"]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("shell: {url: 'https://a'}", "bad_name"),
        ("Mcp: {url: 'https://a'}", "bad_name"),
        ("a.b: {url: 'https://a'}", "bad_name"),
        ("crm: {url: 'ftp://a'}", "bad_url"),
        ("crm: {url: 'http://crm.example.com', headers: {X-Key: '${K}'}}", "bad_url"),
        ("crm: {url: 'https://a', headers: {Mcp-Session-Id: x}}", "bad_name"),
        ("crm: {url: 'https://a', headers: {'X Y': x}}", "bad_name"),
        ("crm: {}", "missing_key"),
    ],
)
def test_an_mcp_server_that_cannot_be_is_refused(entry: str, code: str) -> None:
    assert [found for found, *_ in problems(f"mcp_servers: {{{entry}}}\n".encode())] == [code]
