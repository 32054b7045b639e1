"""Budgets of rules: which calls they count, and what they say to what was counted.

The engine counts nothing. Who decides a call asks which rules count it (``counting``), counts, and puts the
numbers on the call (``Call.counted``). Without them a budget is unknown, like any other condition.
"""

from __future__ import annotations

from policyc.engine.globs import matches
from policyc.engine.model import Budget, Call, Outcome, Rule
from policyc.engine.text import clean

PER = ("agent", "run", "tool")
#: Calls that the steps of a sequence may ask for, together.
MOST_STEPS = 100
#: Seconds of the longest window: 30 days.
LONGEST_WINDOW = 2_592_000
MOST_CENTS = 10**15

_UNKNOWN = "cannot be known: only a policy server with a store counts, and the call has to name its run"


class Within(dict):  # type: ignore[type-arg]
    """What counting came to where no budget is exceeded, as ``Call.counted``."""

    def get(self, _label: object, _default: object = None) -> int:
        return 0

    def __getitem__(self, _label: object) -> int:
        return 0

    def __contains__(self, _label: object) -> bool:
        return True


class Counted:
    """A rule, by ``policy`` and ``label``, whose budget counts a call. ``steps`` are those of a sequence,
    from 1, that the call is."""

    __slots__ = ("budget", "label", "policy", "steps")

    def __init__(self, policy: str, label: str, budget: Budget, steps: list[int]) -> None:
        self.policy = policy
        self.label = label
        self.budget = budget
        self.steps = steps


def holds(rule: Rule, call: Call) -> bool | None:
    """Whether the budget of ``rule`` is exceeded; None where nobody counted. True of a rule without one."""
    budget = rule.budget
    if budget is None:
        return True
    if not acts_at(rule, call.stage):
        return False
    if budget.steps and not takes(budget.steps[-1], call):
        return False
    seen = call.counted.get(rule.label)
    return None if seen is None else seen > budget.limit


def acts_at(rule: Rule, stage: str) -> bool:
    """Whether the budget counts at ``stage``: an advertised tool is no call, unless the rule says it is."""
    return stage != "inbound" or rule.stages is not None


def takes(step: tuple[str, bool], call: Call) -> bool:
    """Whether ``call`` is this step of a sequence."""
    glob, egress = step
    if egress and call.stage != "egress":
        return False
    return any(matches(glob, clean(name)) for name in call.names)


def steps_taken(rule: Rule, call: Call) -> list[int]:
    """The steps of the rule's sequence, from 1, that some part of ``call`` is."""
    budget = rule.budget
    if budget is None or (rule.stages is not None and call.stage not in rule.stages):
        return []
    return [
        number
        for number, step in enumerate(budget.steps, start=1)
        if any(takes(step, part) for part in call.parts)
    ]


def told(outcome: Outcome, rule: Rule, call: Call) -> Outcome:
    """``outcome`` of a rule whose budget is exceeded, or unknown, with what the budget saw."""
    budget = rule.budget
    if budget is None:
        return outcome
    if rule.label not in call.counted:
        reason = f"{outcome.reason} (its {budget.kind} {_UNKNOWN})"
        return outcome.changed(outcome.verdict, reason, "budget_unknown", outcome.sanitize)
    reason = f"{outcome.reason} ({described(budget, call.counted[rule.label])})"
    return outcome.changed(outcome.verdict, reason, outcome.reason_code, outcome.sanitize)


def described(budget: Budget, seen: int) -> str:
    """What was counted, beside what may be."""
    if budget.kind == "cap_cost":
        return f"the run has spent {seen} cents, the cap is {budget.limit}"
    if budget.kind == "rate":
        return f"call {seen} of this {budget.per} within {budget.window} s, {budget.limit} may pass"
    within = f" within {budget.window} s" if budget.window else ""
    return f"step {seen} of {len(budget.steps)} in order{within}"


def check(data: dict[str, object]) -> str | None:
    """What is wrong with the budget in a rule of a plan, or None."""
    verdict, stages = data.get("verdict"), data.get("stages")
    kinds = [kind for kind in _CHECKS if data.get(kind) is not None]
    if (verdict == "cap_cost") is not ("cap_cost_cents" in kinds):
        return "cap_cost_cents stands with the verdict cap_cost, and only there"
    if len(kinds) > 1:
        return f"a rule has one budget, not {' and '.join(kinds)}"
    if kinds and verdict == "allow":
        return "a budget allows nothing"
    if verdict == "cap_cost" and not (isinstance(stages, list) and UNCAPPED.isdisjoint(stages)):
        return "cap_cost does not act on response and egress"
    if data.get("enforce") is not None and (data["enforce"] is not True or "sequence" not in kinds):
        return "enforce is true, and stands with a sequence"
    return _CHECKS[kinds[0]](data[kinds[0]]) if kinds else None


def read(data: dict[str, object]) -> Budget | None:
    """The budget of a rule of a plan whose ``check`` found nothing."""
    cents, rate, sequence = data.get("cap_cost_cents"), data.get("rate"), data.get("sequence")
    if isinstance(cents, int):
        return Budget("cap_cost", cents)
    if isinstance(rate, dict):
        return Budget("rate", rate["max"], window=rate["window_seconds"], per=rate["per"])
    if not isinstance(sequence, dict):
        return None
    steps = tuple(
        (step["match"], step["egress"]) for step in sequence["steps"] for _ in range(step["min_count"])
    )
    return Budget("sequence", len(steps) - 1, window=sequence["window_seconds"], steps=steps)


#: Stages where no cap acts: what a model says there is not run yet, a destination has no run.
UNCAPPED = frozenset(("response", "egress"))


def _check_cents(value: object) -> str | None:
    return None if _whole(value, 0, MOST_CENTS) else "cap_cost_cents is no number of cents"


def _check_rate(value: object) -> str | None:
    if not isinstance(value, dict) or set(value) != {"max", "window_seconds", "per"}:
        return "rate needs max, window_seconds and per"
    if not _whole(value["max"], 1, 10**9) or not _whole(value["window_seconds"], 1, LONGEST_WINDOW):
        return "max and window_seconds of rate are whole numbers from 1"
    return None if value["per"] in PER else f"per of rate is one of {', '.join(PER)}"


def _check_sequence(value: object) -> str | None:
    if not isinstance(value, dict) or set(value) != {"window_seconds", "steps"}:
        return "sequence needs window_seconds and steps"
    if not _whole(value["window_seconds"], 0, LONGEST_WINDOW):
        return "window_seconds of sequence is a whole number from 0"
    steps = value["steps"]
    if not isinstance(steps, list) or not steps or not all(_is_step(step) for step in steps):
        return "steps of sequence are objects with match, min_count and egress"
    asked = sum(step["min_count"] for step in steps)
    return None if asked <= MOST_STEPS else f"the steps ask for {asked} calls, at most {MOST_STEPS}"


def _is_step(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"match", "min_count", "egress"}
        and isinstance(value["match"], str)
        and _whole(value["min_count"], 1, MOST_STEPS)
        and isinstance(value["egress"], bool)
    )


def _whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


_CHECKS = {"cap_cost_cents": _check_cents, "rate": _check_rate, "sequence": _check_sequence}
