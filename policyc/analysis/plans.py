"""Which calls two plans decide differently, agent by agent: the policies that meet by the bindings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.difference import Change, Comparison, compare
from policyc.analysis.languages import Demand, globbed
from policyc.analysis.solver import Solver
from policyc.analysis.values import Texts
from policyc.analysis.witness import Document
from policyc.engine.model import Policy, Source
from policyc.engine.plan import Plan


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two policies that govern some agent before and after: one of those, None where none is named."""

    old: Policy
    new: Policy
    agent: str | None


def compare_plans(old: Plan, new: Plan, *, budget: Budget, calls: Sequence[Document] = ()) -> Comparison:
    """The changes of every pair of policies that meet, each pair of rules once."""
    found = Comparison()
    solver = Solver(budget)
    if _meta_tools(old) != _meta_tools(new):
        found.unknown.append("`meta_tools` differ: calls of those tools are judged by other inner calls")
    try:
        for meeting in meetings(old, new, solver):
            part = compare(meeting.old, meeting.new, agent=meeting.agent, budget=budget, calls=calls)
            found.changes += [change for change in part.changes if not _is_known(change, found.changes)]
            found.unknown += [text for text in part.unknown if text not in found.unknown]
    except Exhausted as error:
        found.unknown.append(str(error))
    return found


def _meta_tools(plan: Plan) -> object:
    return plan.data.get("meta_tools") or []


def _is_known(change: Change, others: Sequence[Change]) -> bool:
    return any((change.old.key, change.new.key) == (other.old.key, other.new.key) for other in others)


def meetings(old: Plan, new: Plan, solver: Solver) -> Iterator[Meeting]:
    """Each pair of policies that governs an agent, with such an agent, once. Raises Exhausted."""
    seen: set[tuple[int, int]] = set()
    for before, demands in _governed(old):
        for after, more in _governed(new):
            agent = None if demands is None or more is None else solver.text(Texts(demands | more))
            nobody = demands is None and more is None
            if (agent is None and not nobody) or (id(before), id(after)) in seen:
                continue
            seen.add((id(before), id(after)))
            yield Meeting(before, after, agent)


def _governed(plan: Plan) -> Iterator[tuple[Policy, frozenset[Demand] | None]]:
    """Each policy with the agents that it governs; None stands for a call that names no agent."""
    default = _nobody() if plan.default_policy is None else plan.policies[plan.default_policy]
    yield default, None
    others: frozenset[Demand] = frozenset()
    for globs, name in plan.bindings:
        covered = globbed(globs)
        yield plan.policies[name], others | {(covered, True)}
        others |= {(covered, False)}
    yield default, others


def _nobody() -> Policy:
    """What governs an agent that no policy does: everything is denied."""
    return Policy("(no policy)", "deny", False, Source("bundle.yaml", 1), ())
