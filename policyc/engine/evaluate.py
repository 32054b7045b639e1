"""The fast evaluator: per tool name, the few rules that can match, with everything looked up beforehand.

A program is what is left of a policy for one stage and one set of tool names: the rules whose globs cover the
name, up to the first one without clauses. Programs are kept in a bounded cache by name and shared between
names with the same rules, so that invented names cost neither memory nor time.
"""

from __future__ import annotations

from policyc.engine.budgets import Counted, acts_at, steps_taken
from policyc.engine.egress import destination_of
from policyc.engine.glob_index import GlobIndex
from policyc.engine.model import Call, Outcome, Policy, Unspoken
from policyc.engine.outcomes import (
    default_outcome,
    no_destination_outcome,
    no_policy_outcome,
    of_all,
    unknown_inner_outcome,
)
from policyc.engine.plan import Plan
from policyc.engine.program import Program
from policyc.engine.specialise import is_unconditional, specialise
from policyc.engine.walk import Reporter, counts, decide

#: Entries in each cache; a full one is emptied, which costs a few specialisations and needs no lock.
CACHE_SIZE = 8192
#: Longer tool names are decided but not remembered, so that names cannot fill the memory.
LONGEST_CACHED_NAME = 256


class Evaluator:
    """Decides calls under one plan. Safe to share between threads; never raises for any arguments."""

    __slots__ = ("_budgets", "_by_agent", "_by_policy", "plan")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._by_policy = {name: _Specialiser(policy) for name, policy in plan.policies.items()}
        self._by_agent = _Cache()
        self._budgets = {
            policy.name: [(rule, rule.budget) for rule in policy.rules if rule.budget is not None]
            for policy in plan.policies.values()
            if any(rule.budget is not None for rule in policy.rules)
        }

    def decide(self, call: Call, policy: str | None = None) -> Outcome:
        """The outcome for ``call``, equal to the plain walk's; by ``policy`` where it is given."""
        if self.plan.meta_tools:
            call = self._opened(call)
        if call.more:
            return of_all([self._decide(part, policy) for part in call.parts])
        return self._decide(call, policy)

    def outcomes(self, call: Call, policy: str | None = None) -> list[Outcome]:
        """The outcome of each thing that ``call`` does."""
        return [self._decide(part, policy) for part in self._opened(call).parts]

    def _decide(self, call: Call, policy: str | None) -> Outcome:
        if isinstance(call.args, Unspoken):
            return decide(self._bound(call, policy), call)
        if policy is not None:
            specialiser = self._by_policy.get(policy) or _NoPolicy()
        else:
            specialiser = self._by_agent.get(call.agent) or self._bind(call.agent)
        if call.stage == "egress" and destination_of(call) is None:
            return specialiser.without_destination
        if call.is_unknown:
            return specialiser.unknown_inner
        program = specialiser.programs.get((call.surface, call.tool, call.canonical))
        if program is None:
            program = specialiser.specialise(call)
        if program.steps:
            return program.run(call)
        return program.otherwise

    def counting(self, call: Call, policy: str | None = None) -> list[Counted]:
        """The rules whose budgets count ``call``, under ``policy`` where it is given."""
        if not self._budgets:
            return []
        call = self._opened(call)
        bound = self._bound(call, policy)
        if bound is None:
            return []
        return [
            Counted(bound.name, rule.label, budget, steps)
            for rule, budget in self._budgets.get(bound.name, ())
            for steps in [steps_taken(rule, call)]
            if acts_at(rule, call.stage) and (steps or (not budget.steps and counts(rule, call)))
        ]

    def explain(self, call: Call, reporter: Reporter, policy: str | None = None) -> Outcome:
        """The outcome as ``decide`` gives it; ``reporter`` hears of every rule considered."""
        return decide(self._bound(call, policy), self._opened(call), reporter)

    def _bound(self, call: Call, policy: str | None) -> Policy | None:
        return self.plan.policy_for(call.agent) if policy is None else self.plan.policies.get(policy)

    def _opened(self, call: Call) -> Call:
        if not self.plan.meta_tools:
            return call
        from policyc.engine.meta_tools import opened  # most plans have none

        return opened(self.plan.meta_tools, call)

    def _bind(self, agent: str | None) -> _Specialiser | _NoPolicy:
        policy = self.plan.policy_for(agent)
        specialiser = _NoPolicy() if policy is None else self._by_policy[policy.name]
        if agent is None or len(agent) <= LONGEST_CACHED_NAME:
            self._by_agent.remember(agent, specialiser)
        return specialiser


class _Cache(dict):  # type: ignore[type-arg]
    """A dictionary that is emptied when it is full."""

    __slots__ = ()

    def remember(self, key: object, value: object) -> None:
        if len(self) >= CACHE_SIZE:
            self.clear()
        self[key] = value


class _NoPolicy:
    """Stands where an agent has no policy: every call gets the closed answer."""

    __slots__ = ("_program", "programs", "unknown_inner", "without_destination")

    def __init__(self) -> None:
        self.programs = _Cache()
        self.without_destination = self.unknown_inner = no_policy_outcome()
        self._program = Program([], 0, self.without_destination)

    def specialise(self, _call: Call) -> Program:
        return self._program


class _Specialiser:
    """Makes and keeps the programs of one policy."""

    __slots__ = (
        "_default",
        "_index",
        "_policy",
        "_shared",
        "programs",
        "unknown_inner",
        "without_destination",
    )

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._default = default_outcome(policy)
        self.without_destination = no_destination_outcome(policy)
        self.unknown_inner = unknown_inner_outcome(policy)
        self._index = GlobIndex([rule.tools for rule in policy.rules])
        self._shared = _Cache()
        self.programs = _Cache()

    def specialise(self, call: Call) -> Program:
        candidates = []
        for position in self._index.lookup(call.names):
            rule = self._policy.rules[position]
            if rule.stages is None or call.stage in rule.stages:
                candidates.append(position)
                if is_unconditional(rule):
                    break
        key = (call.surface, *candidates)
        program = self._shared.get(key)
        if program is None:
            rules = [self._policy.rules[position] for position in candidates]
            program = specialise(self._policy, rules, call.surface, self._default)
            self._shared.remember(key, program)
        if len(call.tool) <= LONGEST_CACHED_NAME and len(call.canonical or "") <= LONGEST_CACHED_NAME:
            self.programs.remember((call.surface, call.tool, call.canonical), program)
        return program
