"""The fast evaluator: per tool name, the few rules that can match, with everything looked up beforehand.

A program is what is left of a policy for one stage and one set of tool names: the rules whose globs cover the
name, up to the first one without clauses. Programs are kept in a bounded cache by name and shared between
names with the same rules, so that invented names cost neither memory nor time.
"""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.clauses import compile_clause
from policyc.engine.globs import GlobIndex
from policyc.engine.model import Call, Clause, Outcome, Policy, Rule
from policyc.engine.outcomes import default_outcome, no_policy_outcome, rule_outcome
from policyc.engine.paths import MISSING, compile_singular, is_singular
from policyc.engine.plan import Plan
from policyc.engine.regex import CHUNK, PatternSet
from policyc.engine.walk import Reporter, decide

#: Entries in each cache; a full one is emptied, which costs a few specialisations and needs no lock.
CACHE_SIZE = 8192
#: Longer tool names are decided but not remembered, so that names cannot fill the memory.
LONGEST_CACHED_NAME = 256


#: A test over the arguments and this call's pattern-set answers.
Test = Callable[[object, "list[object]"], bool]
#: A step decides, or passes on with None.
Step = Callable[[object, "list[object]"], "Outcome | None"]


class Evaluator:
    """Decides calls under one plan. Safe to share between threads; never raises for any arguments."""

    __slots__ = ("_by_agent", "_by_policy", "plan")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._by_policy = {name: _Specialiser(policy) for name, policy in plan.policies.items()}
        self._by_agent = _Cache()

    def decide(self, call: Call) -> Outcome:
        """The outcome for ``call``, equal to the plain walk's."""
        specialiser = self._by_agent.get(call.agent)
        if specialiser is None:
            specialiser = self._bind(call.agent)
        program = specialiser.programs.get((call.stage, call.tool, call.canonical))
        if program is None:
            program = specialiser.specialise(call)
        if program.steps:
            return program.run(call.args)
        return program.otherwise

    def explain(self, call: Call, reporter: Reporter) -> Outcome:
        """The outcome for ``call``; ``reporter`` hears of every rule considered."""
        return decide(self.plan.policy_for(call.agent), call, reporter)

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


class _Program:
    """Steps in order, and the outcome when none decides."""

    __slots__ = ("otherwise", "scans", "steps")

    def __init__(self, steps: list[Step], scans: int, otherwise: Outcome) -> None:
        self.steps = steps
        self.scans = scans
        self.otherwise = otherwise

    def run(self, args: object) -> Outcome:
        # One slot per merged pattern set: the first step that needs it scans, the others look.
        hits: list[object] = [None] * self.scans
        for step in self.steps:
            outcome = step(args, hits)
            if outcome is not None:
                return outcome
        return self.otherwise


class _NoPolicy:
    """Stands where an agent has no policy: every call gets the closed answer."""

    __slots__ = ("_program", "programs")

    def __init__(self) -> None:
        self.programs = _Cache()
        self._program = _Program([], 0, no_policy_outcome())

    def specialise(self, _call: Call) -> _Program:
        return self._program


class _Specialiser:
    """Makes and keeps the programs of one policy."""

    __slots__ = ("_default", "_index", "_policy", "_shared", "programs")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._default = default_outcome(policy)
        self._index = GlobIndex([rule.tools for rule in policy.rules])
        self._shared = _Cache()
        self.programs = _Cache()

    def specialise(self, call: Call) -> _Program:
        candidates = []
        for position in self._index.lookup(call.names):
            rule = self._policy.rules[position]
            if rule.stages is None or call.stage in rule.stages:
                candidates.append(position)
                if not rule.clauses:
                    break
        key = (call.stage, *candidates)
        program = self._shared.get(key)
        if program is None:
            program = self._build([self._policy.rules[position] for position in candidates], call.stage)
            self._shared.remember(key, program)
        if len(call.tool) <= LONGEST_CACHED_NAME and len(call.canonical or "") <= LONGEST_CACHED_NAME:
            self.programs.remember((call.stage, call.tool, call.canonical), program)
        return program

    def _build(self, rules: list[Rule], stage: str) -> _Program:
        otherwise = self._default
        if rules and not rules[-1].clauses:
            otherwise = rule_outcome(self._policy, rules.pop(), stage)
        scanners = _Scanners()
        steps: list[Step] = []
        group: _Group | None = None
        for rule in rules:
            outcome = rule_outcome(self._policy, rule, stage)
            gate = next((clause for clause in rule.clauses if _is_gate(clause)), None)
            if gate is None:
                steps.append(_step(_all([scanners.test(clause) for clause in rule.clauses]), outcome))
                group = None
                continue
            scanner, index = scanners.place(gate)
            rest = [scanners.test(clause) for clause in rule.clauses if clause is not gate]
            if group is None or group.scanner is not scanner:
                group = _Group(scanner)
                steps.append(group.decide)
            group.members[index] = (_all(rest) if rest else None, outcome)
        return _Program(steps, scanners.count, otherwise)


def _is_gate(clause: Clause) -> bool:
    """Whether the clause can only be true where its pattern matches."""
    return _is_merged(clause) and not clause.negated and not clause.on_missing


def _is_merged(clause: Clause) -> bool:
    return clause.op == "regex" and is_singular(clause.steps)


class _Scanner:
    """The regex clauses on one path as one pattern set over the value there."""

    __slots__ = ("_get", "_set", "patterns", "slot")

    def __init__(self, slot: int, clause: Clause) -> None:
        self.slot = slot
        # Grows until the program is complete; the set is built at the first scan, after that.
        self.patterns: list[str] = []
        self._get = compile_singular(clause.steps)
        self._set = PatternSet(self.patterns)

    def hits(self, args: object, hits: list[object]) -> object:
        """The indexes of the patterns that match, or MISSING; scanned once per call."""
        found = hits[self.slot]
        if found is None:
            value = self._get(args)
            if value is not MISSING:
                value = self._set.scan(value) if isinstance(value, str) else ()
            found = hits[self.slot] = value
        return found


class _Scanners:
    """The scanners of one program, one per path and chunk."""

    __slots__ = ("_open", "count")

    def __init__(self) -> None:
        self.count = 0
        self._open: dict[str, _Scanner] = {}

    def place(self, clause: Clause) -> tuple[_Scanner, int]:
        """The scanner that holds the clause's pattern, and the pattern's index in it."""
        key = repr(clause.steps)
        scanner = self._open.get(key)
        if scanner is None or len(scanner.patterns) == CHUNK:
            scanner = self._open[key] = _Scanner(self.count, clause)
            self.count += 1
        scanner.patterns.append(str(clause.value))
        return scanner, len(scanner.patterns) - 1

    def test(self, clause: Clause) -> Test:
        """A test ``(args, hits) -> bool`` for any clause."""
        if not _is_merged(clause):
            plain = compile_clause(clause)
            return lambda args, _hits: plain(args)
        scanner, index = self.place(clause)
        negated, on_missing = clause.negated, clause.on_missing

        def test(args: object, hits: list[object]) -> bool:
            found = scanner.hits(args, hits)
            if found is MISSING:
                return on_missing
            return (index in found) is not negated  # type: ignore[operator]

        return test


class _Group:
    """Neighbouring rules that each need a pattern of one scanner: most calls skip all of them at once."""

    __slots__ = ("members", "scanner")

    def __init__(self, scanner: _Scanner) -> None:
        self.scanner = scanner
        #: Pattern index -> the rule's other clauses and its outcome. Indexes ascend in rule order.
        self.members: dict[int, tuple[Test | None, Outcome]] = {}

    def decide(self, args: object, hits: list[object]) -> Outcome | None:
        found = self.scanner.hits(args, hits)
        if not found or found is MISSING:
            return None
        for index in sorted(found):  # type: ignore[call-overload]
            rest, outcome = self.members.get(index, (None, None))
            if outcome is not None and (rest is None or rest(args, hits)):
                return outcome
        return None


def _step(test: Test, outcome: Outcome) -> Step:
    return lambda args, hits: outcome if test(args, hits) else None


def _all(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda args, hits: first(args, hits) and second(args, hits)
    return lambda args, hits: all(test(args, hits) for test in tests)
