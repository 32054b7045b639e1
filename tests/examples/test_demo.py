"""`make demo` as a user runs it, also from another folder."""

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "examples/demo/demo.py"


def test_the_demo_ends_by_itself_with_every_answer_as_expected(tmp_path):
    done = subprocess.run(
        [sys.executable, DEMO], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "18 of 18 answers were the expected ones" in done.stdout
    assert "WRONG" not in done.stdout
    assert list(tmp_path.iterdir()) == []
