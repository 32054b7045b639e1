"""The story of a held deployment as a user plays it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STORY = Path(__file__).parents[2] / "examples/approvals/story.py"


BROWSER = pytest.param("--browser", marks=pytest.mark.slow)


@pytest.mark.parametrize("flag", [None, BROWSER], ids=["forms", "browser"])
def test_the_deployment_is_held_approved_and_runs_once(tmp_path, flag):
    if flag is not None and not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("chromium is not installed")
    command = [sys.executable, "-B", STORY, *filter(None, [flag])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines.count("agent: RAN deploy.release: shop 1.4 is in production") == 1
    assert 'dana sees: deploy.release {"environment": "production"' in done.stdout
    assert lines[-1] == "agent: the same call again: refused (approval_used)"
    assert list(tmp_path.iterdir()) == []
