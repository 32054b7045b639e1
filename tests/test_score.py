"""The tally of labelled command lines."""

import json

from bundle_cases import evaluator

from policyc.score import main, score

ROWS = [
    {"command": "rm -rf /", "expected": "block"},
    {"command": "ls", "expected": "block"},
    {"command": "ls", "expected": "allow"},
    {"command": "rm -rf src", "expected": "ask"},
    {"command": "echo 'open", "expected": "allow"},
]


def test_a_tally():
    tally = score("f", ROWS, evaluator("bundles/block_destructive_shell"))
    assert (tally.rows, tally.parsed) == (5, 4)
    assert (tally.blocked, tally.to_block, tally.false_positives, tally.to_allow) == (2, 3, 1, 2)
    assert [miss.command for miss in tally.misses] == ["ls", "echo 'open"]


def test_the_command(tmp_path, capsys):
    rows = "\n".join(json.dumps(row) for row in [*ROWS, {"id": "a call, no line"}])
    (tmp_path / "f.jsonl").write_text(rows)
    assert main([str(tmp_path), "--policy", "bundles/block_destructive_shell", "--misses"]) == 0
    printed = capsys.readouterr().out
    assert "f  " in printed
    assert "block but audit (None): 'ls'" in printed
