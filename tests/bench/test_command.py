"""The command with small sizes, which its context object gives."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from click.testing import CliRunner

from policyc.bench.suite import Sizes
from policyc.cli.bench import command

TINY = Sizes(
    decision_rules=(10,),
    calls=20,
    tools=10,
    walked_rules=50,
    files=2,
    rules_per_file=5,
    diff_rules=(5,),
    small_files=2,
    small_rules_per_file=5,
    reload_connections=2,
    gate_runs=1,
    artifact_reloads=1,
    folder_reloads=1,
    serving_connections=(2,),
    turns=1,
    seconds=0.2,
    kept_connections=2,
    gateway_connections=(2,),
    events=3_000,
)
#: Long enough to be interrupted.
LONG = f"""
from policyc.bench.suite import Sizes
from policyc.cli.bench import command
command([], obj={replace(TINY, artifact_reloads=60)})
"""


@pytest.mark.slow
def test_the_whole_bench_as_json():
    result = CliRunner().invoke(command, ["--format", "json"], obj=TINY)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["ok"] is True
    assert [row["rules"] for row in document["decisions"]] == [10, 10, 10, 10]
    assert {row["policy"] for row in document["gate"]} == {"one regex", "coding agent"}
    assert {row["target"] for row in document["reload"]} == {"artifact", "folder"}
    assert [row["endpoint"].split(",")[0] for row in document["events"]] == [
        "events off",
        "events on",
        "events on",
    ]
    assert [row["answer"] for row in document["gateway"]] == ["whole", "streamed"]
    assert document["store"][0]["events"] == 3_000
    assert "reload: artifact of 10 rules under load" in result.stderr
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def _as_in_a_terminal():
    # A runner that was put into the background hands down that these are ignored.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_ended_bench_leaves_no_process(number, tmp_path):
    own = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", LONG], stderr=subprocess.PIPE, text=True, env=own, preexec_fn=_as_in_a_terminal
    )
    try:
        assert process.stderr is not None
        assert any("reload: artifact" in line for line in process.stderr)
        started = children(process.pid, 2)
        process.send_signal(number)
        assert process.wait(30) == (-number if number == signal.SIGKILL else 1)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert number == signal.SIGKILL or not list(tmp_path.iterdir())
    # Killed, it leaves them to end by themselves.
    deadline = time.monotonic() + (10 if number == signal.SIGKILL else 0)
    while any(is_running(pid) for pid in started):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid: str) -> bool:
    """Whether ``pid`` is a process that has not ended; nobody may have waited for it yet."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int, count: int) -> list[str]:
    """The processes that ``pid`` started, once they are ``count``."""
    for _ in range(500):
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            found = file.read().split()
        if len(found) == count:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{found} are not {count}")
