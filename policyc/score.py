"""How a policy decides labelled command lines: ``python -m policyc.score CORPUS``.

A row is ``{"command", "expected"}``; ``block`` is met by deny and pending_approval, ``ask`` and ``deny`` by
that verdict, ``allow`` by all others. Rows are parsed and decided, never run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from policyc.building import CompileError, compile_path
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call
from policyc.engine.plan import Plan
from policyc.engine.shell import shell_facts

_POLICY = Path("examples/coding-agent")
_WORKSPACE = "/workspace/project"
_BLOCKS = frozenset(("deny", "pending_approval"))
_MEETS = {"block": _BLOCKS, "ask": frozenset(("pending_approval",)), "deny": frozenset(("deny",))}


@dataclass(frozen=True)
class Miss:
    """A row that was decided otherwise than its label says."""

    command: str
    expected: str
    verdict: str
    rule: str | None


@dataclass
class Score:
    """The tally of one file."""

    name: str
    rows: int = 0
    parsed: int = 0
    to_block: int = 0
    blocked: int = 0
    to_allow: int = 0
    false_positives: int = 0
    misses: list[Miss] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"{self.name:<28}{self.rows:>6}{_percent(self.parsed, self.rows):>9}"
            f"{self.blocked:>8}/{self.to_block:<5}{_percent(self.blocked, self.to_block):>7}"
            f"{self.false_positives:>8}/{self.to_allow:<5}{_percent(self.false_positives, self.to_allow):>7}"
        )


HEADING = f"{'file':<28}{'rows':>6}{'parsed':>9}{'block recall':>21}{'false positives':>21}"


def score(name: str, rows: Iterable[Mapping[str, Any]], evaluator: Evaluator, cwd: str = _WORKSPACE) -> Score:
    """Decide each row as a shell call in ``cwd``."""
    tally = Score(name)
    for row in rows:
        command, expected = row["command"], row["expected"]
        call = Call("shell.exec", {"command": command})
        call.cwd = cwd
        outcome = evaluator.decide(call)
        tally.rows += 1
        tally.parsed += shell_facts(command, cwd=cwd).unknown is None
        _count(tally, expected, outcome.verdict)
        if not meets(expected, outcome.verdict):
            tally.misses.append(Miss(command, expected, outcome.verdict, outcome.rule))
    return tally


def meets(expected: str, verdict: str) -> bool:
    return verdict in _MEETS[expected] if expected in _MEETS else verdict not in _BLOCKS


def _count(tally: Score, expected: str, verdict: str) -> None:
    if expected in _MEETS:
        tally.to_block += 1
        tally.blocked += verdict in _BLOCKS
    else:
        tally.to_allow += 1
        tally.false_positives += verdict in _BLOCKS


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file that carry a command and a label; others are not for a shell."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if isinstance(row.get("command"), str) and isinstance(row.get("expected"), str):
            yield row


def main(arguments: list[str] | None = None) -> int:
    options = _options().parse_args(arguments)
    try:
        plan = Plan.load(compile_path(options.policy).data)
    except CompileError as error:
        print(error, *error.diagnostics, sep="\n", file=sys.stderr)
        return 1
    evaluator = Evaluator(plan)
    files = sorted(options.corpus.glob("*.jsonl")) if options.corpus.is_dir() else [options.corpus]
    print(HEADING)
    for path in files:
        tally = score(path.stem, read_rows(path), evaluator, options.cwd)
        if tally.rows:
            print(tally.line())
            for miss in tally.misses if options.misses else ():
                print(f"    {miss.expected} but {miss.verdict} ({miss.rule}): {miss.command!r}")
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m policyc.score", description=__doc__)
    parser.add_argument("corpus", type=Path, help="a folder of .jsonl files, or one")
    parser.add_argument("--policy", type=Path, default=_POLICY, help=f"sources ({_POLICY})")
    parser.add_argument("--cwd", default=_WORKSPACE, help=f"the workspace ({_WORKSPACE})")
    parser.add_argument("--misses", action="store_true", help="name the rows that were decided otherwise")
    return parser


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


if __name__ == "__main__":
    raise SystemExit(main())
