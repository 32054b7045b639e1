"""The story of an agent behind the gateway as a user plays it."""

import subprocess
import sys
from pathlib import Path

import pytest
from official_clients import APIS

STORY = Path(__file__).parents[2] / "examples/gateway/story.py"


@pytest.mark.slow
def test_every_api_and_mcp_tell_the_same_story(tmp_path):
    command = [sys.executable, "-W", "error", STORY]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    everywhere = (
        '  RAN crm__get_contact {"id": 7}',
        '  RAN payment__transfer {"to": "Acme", "amount_cents": 90000}',
        "firewall: BLOCKED payment.transfer by 'cap payment amount'",
        "firewall: BLOCKED crm.delete_contact by 'deny everything else'",
        "firewall: HELD    deploy.release by 'hold large deploys'",
        '  RAN deploy__release {"service": "shop", "environment": "production"}',
        "5 allowed, 2 blocked, 1 held",
    )
    for line in everywhere:
        assert sum(found.startswith(line) for found in lines) == len(APIS) + 1, line
    for line in ("offering crm__delete_contact: ", "2 times the gateway told the model of a block"):
        assert sum(found.startswith(line) for found in lines) == len(APIS), line
    assert "listing tools: crm__delete_contact is not among them" in lines
    assert not any("250000" in line or "is gone" in line for line in lines)
    assert lines[-1] == "every API, and MCP, told the same story"
    assert list(tmp_path.iterdir()) == []
