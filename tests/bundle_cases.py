"""What the tests of shipped bundles share: an evaluator of a folder, and one shell call."""

from functools import cache
from pathlib import Path

from policyc.building import compile_path
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call, Outcome
from policyc.engine.plan import Plan

ROOT = Path(__file__).parents[1]
WORKSPACE = "/workspace/project"
STRICTNESS = ("allow", "audit", "sanitize", "pending_approval", "deny")


@cache
def evaluator(folder: str) -> Evaluator:
    return Evaluator(Plan.load(compile_path(ROOT / folder).data))


def decide_line(folder: str, command: str) -> Outcome:
    call = Call("shell.exec", {"command": command})
    call.cwd = WORKSPACE
    return evaluator(folder).decide(call)
