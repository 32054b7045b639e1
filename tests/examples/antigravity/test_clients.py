"""Each client against the stand-in, with the outcome that the managed agent's documentation states."""

import pytest

pytestmark = pytest.mark.slow


BLOCKED = "That was blocked, and did not run: "
DESTRUCTIVE = "Destructive command blocked by security gate."
PRIVATE = (
    "Access to confidential `/private/` records is blocked by PII compliance policy. "
    "Query approved `/public/` summary tables instead."
)


@pytest.mark.parametrize("arguments", [[], ["Run `rm -fr /tmp/forbidden` using code_execution."]])
def test_the_destructive_command_is_blocked(client, stand_in, arguments):
    said = client("security_gate", *arguments)
    assert said.startswith(BLOCKED)
    assert DESTRUCTIVE in said
    [kept] = stand_in.sandboxes.glob("*/tmp/forbidden/kept.txt")
    assert kept.read_text() == "Still here.\n"


def test_another_command_runs(client):
    assert (
        client("security_gate", "Run `ls /tmp/forbidden` using code_execution.").strip() == "Done: kept.txt"
    )


def test_the_second_turn_recovers_with_the_public_table(client, stand_in):
    first, second, *_ = client("privacy_recovery").splitlines()
    assert first.startswith(BLOCKED)
    assert PRIVATE in first
    assert second == 'Done: {"department": "Engineering", "team_size": 42, "status": "active"}'
    assert len(list(stand_in.sandboxes.iterdir())) == 1, "both turns are in one environment"


def test_every_file_access_is_streamed_to_the_telemetry_server(client, stand_in):
    told = client("audit_streaming")
    for event in ("interaction.created", "step.start", "step.delta", "interaction.completed"):
        assert event in told
    assert "event 1" in told
    written, read = stand_in.events(2)
    assert {written["authorization"], read["authorization"]} == {"Bearer telemetry_secret_token_123"}
    assert (written["host"], written["path"]) == ("telemetry.example.com", "/api/v1/agent-events")
    assert written["event"] == {
        "tool_call": {
            "name": "write_file",
            "args": {"path": "/workspace/audit.log", "content": "event 1"},
        },
        "environment_id": written["event"]["environment_id"],
    }
    assert read["event"]["tool_call"] == {"name": "read_file", "args": {"path": "/workspace/audit.log"}}
    texts = [path.read_bytes() for path in stand_in.sandboxes.rglob("*") if path.is_file()]
    assert not any(b"telemetry_secret_token" in text for text in texts), "the token is never in the sandbox"
