"""Plays the story of a held deployment: a server, an agent's loop, and a reviewer.

    python story.py                 the reviewer is this script, with the forms of the console
    python story.py --browser       the same in a headless Chromium
    python story.py --person        the reviewer is you: it prints where, and waits

Exit 0 only if the deployment ran exactly once.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from reviewer import Chromium, Forms

HERE = Path(__file__).parent
RAN = "RAN deploy.release: shop 1.4 is in production"


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        agent, reviewer = key(state, "shop-agent", "agent"), key(state, "dana", "reviewer")
        with serving(state) as url:
            if "--person" in arguments:
                print(f"decide at {url}/console with the key {reviewer}", flush=True)
                lines = list(play(url, agent, None))
            else:
                come = Chromium if "--browser" in arguments else Forms
                with contextlib.closing(come(url, reviewer)) as dana:
                    lines = list(play(url, agent, dana))
    return 0 if lines.count(RAN) == 1 and "refused (approval_used)" in lines[-1] else 1


def key(state: Path, name: str, role: str) -> str:
    """The secret of a new key."""
    command = ["keys", "create", name, "--role", role, "--state", str(state)]
    command += ["--agent", "shop"] if role == "agent" else []
    return subprocess.run(policyc(*command), check=True, capture_output=True, text=True).stdout.strip()


@contextlib.contextmanager
def serving(state: Path) -> Iterator[str]:
    """The server on a free port, until the block ends."""
    command = policyc("serve", "--bundle", str(HERE / "bundle"), "--state", str(state), "--port", "0")
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        for line in server.stderr:
            if found := re.search(r"on (http://\S+)", line):
                yield found[1]
                return
        raise SystemExit("the server did not start")
    finally:
        server.terminate()
        server.communicate(timeout=30)


def play(url: str, agent: str, reviewer: Forms | Chromium | None) -> Iterator[str]:
    """The lines of the agent, shown; ``reviewer`` approves what it says is held."""
    environment = {**os.environ, "POLICYC_URL": url, "POLICYC_KEY": agent}
    loop = subprocess.Popen(
        [sys.executable, str(HERE / "agent.py")], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert loop.stdout is not None
    with loop:
        for line in map(str.rstrip, loop.stdout):
            print(f"agent: {line}", flush=True)
            yield line
            if reviewer is not None and (held := re.search(r"held as approval (\S+)", line)):
                print(f"dana sees: {reviewer.approve(held[1])}", flush=True)


def policyc(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "policyc", *arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
