"""Run by another interpreter: ``python -I -S decide_elsewhere.py ROOT < work``; Python 3.9 syntax.

``work`` is ``[plan, [call, ...]]`` pairs; the answer is what the engine says of each call.
"""

import json
import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

from policyc.engine import sanitize
from policyc.engine.calls import read_call
from policyc.engine.evaluate import Evaluator
from policyc.engine.plan import Plan


def answer(evaluator, raw):
    call = read_call(raw)
    outcome = evaluator.decide(call)
    redacted = None if outcome.sanitize is None else sanitize.compile(outcome.sanitize).redact(call.args)
    return {"verdict": outcome.verdict, "rule": outcome.rule, "redacted": redacted}


if __name__ == "__main__":
    answers = []
    for plan, calls in json.load(sys.stdin):
        evaluator = Evaluator(Plan.load(plan))
        answers.append([answer(evaluator, call) for call in calls])
    foreign = [name for name in ("re2", "typing", "dataclasses") if name in sys.modules]
    json.dump({"answers": answers, "foreign": foreign}, sys.stdout)
