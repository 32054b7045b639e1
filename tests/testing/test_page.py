"""docs/testing.md: what it shows is taken as it says."""

from __future__ import annotations

import re
from pathlib import Path

from sources_on_disk import compile_files

from policyc.testing.reading import read_test_file
from policyc.testing.run import Runner
from testing.on_disk import read, write

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text("utf-8")
FILE, SEQUENCE, RULE = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
POLICY = """\
default_verdict: deny
rules:
  - {priority: 1, label: two a minute, tool_name_glob: http.get, verdict: deny,
     rate: {max: 2, window_seconds: 60, per: run}}
  - {priority: 2, tool_name_glob: http.get, verdict: allow}
  - {priority: 3, tool_name_glob: deploy.release, verdict: pending_approval}
"""


def test_the_test_file_is_one() -> None:
    cases, diagnostics = read_test_file("tests/x.yaml", FILE.encode())
    assert diagnostics == ()
    assert [case.title for case in cases] == [
        "small refunds pass", "reads [1]", "reads [2]", "a hook's own words",
    ]  # fmt: skip


def test_the_sequence_passes_under_the_rules_it_speaks_of(tmp_path: Path) -> None:
    suite, loaded = read(write(tmp_path, f"tests:\n{SEQUENCE}", POLICY))
    (result,) = Runner(suite, loaded).results()
    assert result.passed, result.failure


def test_the_examples_of_the_rule_hold(tmp_path: Path) -> None:
    assert compile_files({"p.yaml": f"rules:\n{RULE}".encode()}, tmp_path).diagnostics == ()
