"""The page's own examples."""

import pathlib
import re

from policyc.engine.shell import KEYS, matches, shell_facts

PAGE = (pathlib.Path(__file__).parents[3] / "docs" / "shell-facts.md").read_text("utf-8")


def test_the_first_example_catches_what_the_seed_gate_misses():
    block = PAGE.split("```\n")[1]
    lines = [line for row in block.splitlines() for line in re.split(r" {2,}", row.strip())]
    assert len(lines) == 11
    for line in lines:
        assert "rm -rf" not in line
        facts = shell_facts(line, cwd="/workspace")
        assert matches({"deletes": "**"}, facts) is True
        assert matches({"program": "rm", "all_flags": ["-r", "-f"]}, facts) is (not line.startswith("find"))


def test_the_table_has_every_key():
    for key in KEYS:
        assert f"`{key}`" in PAGE
