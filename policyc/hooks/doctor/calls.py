"""Calls of which the plan in a repository says what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from policyc.engine.dialects.lowering import lowered
from policyc.engine.dialects.tools import CallError
from policyc.engine.one_call import decide_one
from policyc.engine.plan import PlanError
from policyc.hooks.doctor.subject import Subject
from policyc.hooks.gate_decision import Damaged, look_around, read_plan
from policyc.hooks.gate_files import PLAN, SCRIPT

#: Kind and value: harmless calls, and such that policies are about. None of them is carried out.
_HARMLESS: Final = (
    ("shell.exec", "git status"),
    ("shell.exec", "ls"),
    ("fs.read", "README.md"),
    ("fs.write", "notes.txt"),
)
_DENIED: Final = (
    ("shell.exec", "rm -rf /"),
    ("fs.write", ".agents/hooks.json"),
    ("fs.write", ".policyc/gate/plan.json"),
    ("fs.read", ".env"),
    ("shell.exec", "git push --force origin main"),
)


@dataclass(frozen=True)
class Sample:
    """A payload, and the call in it in words."""

    payload: dict[str, Any]
    what: str
    kind: str
    value: str


@dataclass(frozen=True)
class Calls:
    """A call that the plan denies and one that it lets run; None where it has neither among those that were
    tried. ``problem``: why nothing is known."""

    denied: Sample | None = None
    passed: Sample | None = None
    problem: str = ""


def choose(subject: Subject, folder: Path) -> Calls:
    """The calls for ``subject``, by the plan beside its gate."""
    if not (subject.gate / SCRIPT).is_file():
        return Calls(problem=f"there is no {subject.gate / SCRIPT}")
    try:
        plan = read_plan(str(subject.gate / PLAN))
        denied = _first(subject, plan, folder, [*_DENIED, *_named(plan), *_HARMLESS], {"deny"})
        passed = _first(subject, plan, folder, _HARMLESS, {"allow", "audit"})
    except (Damaged, PlanError, ValueError) as error:
        return Calls(problem=str(error))
    return Calls(denied, passed)


def _first(
    subject: Subject, plan: object, folder: Path, tried: Iterable[tuple[str, str]], verdicts: set[str]
) -> Sample | None:
    for kind, value in tried:
        payload = subject.samples.pre(kind, value)
        if _verdict(subject, plan, folder, payload) in verdicts:
            return Sample(payload, f"{kind} {value}", kind, value)
    return None


def _verdict(subject: Subject, plan: object, folder: Path, payload: dict[str, Any]) -> str | None:
    try:
        call = subject.dialect.read(payload)
    except CallError:  # denied before any rule is asked
        return None
    for part in call.parts:
        part.cwd = part.cwd or str(folder)
    return lowered(decide_one(plan, call, look_around), subject.dialect).verdict


def _named(plan: Any) -> Iterator[tuple[str, str]]:
    """Command lines of the programs that deny rules name."""
    lines = map(json.loads, plan.get("lines", ()))  # rules, and after them what finds them
    for rule in (line for line in lines if "verdict" in line and isinstance(line.get("clauses"), list)):
        for clause in rule["clauses"] if rule["verdict"] == "deny" else ():
            program = clause["value"].get("program") if clause["op"] == "shell" else None
            if isinstance(program, str) and program.isalnum():
                yield "shell.exec", f"{program} x"
