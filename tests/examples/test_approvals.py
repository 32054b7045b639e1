"""The story of a held deployment as a user plays it."""

import subprocess
import sys
from pathlib import Path

STORY = Path(__file__).parents[2] / "examples/approvals/story.py"


def test_the_deployment_is_held_approved_and_runs_once(tmp_path):
    done = subprocess.run(
        [sys.executable, STORY], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines.count("agent: RAN deploy.release: shop 1.4 is in production") == 1
    assert 'dana sees: deploy.release {"environment": "production"' in done.stdout
    assert lines[-1] == "agent: the same call again: refused (approval_used)"
    assert list(tmp_path.iterdir()) == []
