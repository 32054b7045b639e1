"""The stand-in and the telemetry server as a user starts them, and the clients as a user calls them."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "antigravity"
TOKEN = "telemetry_secret_token_123"
CLIENTS = {
    "python": ([sys.executable], "python/{}.py", sys.executable),
    "javascript": (["node"], "javascript/{}.mjs", "node"),
    "curl": (["sh"], "curl/{}.sh", "curl"),
}


@contextmanager
def started(*command):
    """The process, and the first line that it prints."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, process.stdout.readline()
        finally:
            process.terminate()


@dataclass(frozen=True)
class StandIn:
    url: str
    sandboxes: Path
    telemetry: subprocess.Popen

    def events(self, number):
        """The next events that the telemetry server has printed."""
        return [json.loads(self.telemetry.stdout.readline()) for _ in range(number)]


@pytest.fixture
def stand_in():
    with (
        started(EXAMPLE / "receiver.py", "0") as (receiver, outside),
        started(EXAMPLE / "stand_in", "--port", "0", "--outside", outside.strip()) as (_, line),
    ):
        url, _, folder = line.strip().partition("  sandboxes in ")
        yield StandIn(url, Path(folder), receiver)


def sources(name, *more):
    """What ``policyc hooks sources`` prints."""
    files = EXAMPLE / "files" / name
    given = ["--files", files] if files.exists() else []
    command = [sys.executable, "-c", "from policyc.cli import main; main()", "hooks", "sources"]
    done = subprocess.run(
        [*command, EXAMPLE / "bundles" / name, *given, *more],
        env={**os.environ, "TELEMETRY_TOKEN": TOKEN},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(params=CLIENTS)
def client(request, stand_in):
    """``client(example, *arguments)``: what the client of a language prints, called from another folder."""
    interpreter, script, needs = CLIENTS[request.param]
    if shutil.which(needs) is None:
        pytest.skip(f"{needs} is not installed")
    env = {**os.environ, "GEMINI_BASE_URL": stand_in.url, "GEMINI_API_KEY": "key"}

    def call(example, *arguments):
        done = subprocess.run(
            [*interpreter, EXAMPLE / script.format(example), *arguments],
            input=sources(example),
            cwd=stand_in.sandboxes,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call
