"""Policies and servers for the tests of the MCP proxy."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

CRM = Path(__file__).parent / "crm_server.py"
POLICY = """\
default_verdict: deny
rules:
  - {priority: 1, label: no drops, tool_name_glob: crm.drop, verdict: deny, reason: Customers are kept.}
  - priority: 2
    label: big refunds
    tool_name_glob: [crm.refund, payment.refund]
    args_match: {clauses: [{path: $.cents, op: gt, value: 100}]}
    verdict: deny
    reason: Refunds above 1.00 need a person.
    risk_factors: [money]
  - {priority: 3, label: exports, tool_name_glob: mcp.crm.export, verdict: pending_approval}
  - priority: 4
    label: no addresses
    tool_name_glob: crm.send
    verdict: sanitize
    sanitize: {presets: [email]}
  - priority: 5
    label: crm
    tool_name_glob: crm.*
    verdict: allow
  - {priority: 6, label: small refunds, tool_name_glob: payment.refund, verdict: allow}
  - {priority: 7, label: one tool, tool_name_glob: plain.get, verdict: allow}
"""
BUNDLE = "bundle: t\nmeta_tools: [{tool: crm.run_tool, name: $.name, arguments: $.arguments}]\n"


def write_policy(folder: Path, policy: str = POLICY) -> Path:
    """A bundle folder with the policy."""
    (folder / "policies").mkdir(parents=True, exist_ok=True)
    (folder / "bundle.yaml").write_text(BUNDLE, "utf-8")
    (folder / "policies/p.yaml").write_text(policy, "utf-8")
    return folder


def proxy(
    bundle: Path, *options: str | Path, server: Sequence[str | Path] = (), name: str = "crm"
) -> list[str]:
    """The command line of a wrapped server."""
    wrapped = server or (sys.executable, CRM)
    words = ("mcp", "--bundle", bundle, "--name", name, *options, "--", *wrapped)
    return [sys.executable, "-m", "policyc", *map(str, words)]


def stdio(command: Sequence[str], calls: Path, **changes: Any) -> StdioServerParameters:
    """How a client of the SDK starts it."""
    environment = {**os.environ, "CALLS": str(calls), **changes}
    return StdioServerParameters(command=command[0], args=list(command[1:]), env=environment)


def client(parameters: Any, **options: Any) -> AbstractAsyncContextManager[Client]:
    return Client(parameters, **options)


def ran(calls: Path) -> list[Any]:
    """What the server really ran."""
    return [json.loads(line) for line in calls.read_text().splitlines()] if calls.exists() else []
