"""The vocabulary: tool call, clause, rule, policy, outcome."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Mapping

STAGES = ("inbound", "response", "mcp", "hook", "egress")
VERDICTS = ("allow", "audit", "sanitize", "deny", "pending_approval")
#: What a rule may say; ``cap_cost`` decides as ``deny`` once a run has spent too much.
RULE_VERDICTS = (*VERDICTS, "cap_cost")
DEFAULT_VERDICTS = ("allow", "audit", "deny")

#: Verdicts under which the call runs. Everything else stops it.
PASSING = frozenset({"allow", "audit", "sanitize"})
#: Verdicts that leave the call as it is: rules that give something away, and so must be sure of all of it.
PERMITTING = frozenset({"allow", "audit"})
#: Verdicts that act on the call; shadow turns each of them into ``audit``.
ENFORCING = frozenset({"deny", "sanitize", "pending_approval"})

#: From the most to the least strict: what decides between rules that may match.
STRICTNESS = ("deny", "pending_approval", "sanitize", "audit", "allow")

DEFAULT_STAGE = "mcp"
NOTHING_COUNTED: Mapping[str, int] = {}
#: The stage ``hook`` before a tool whose arguments the agent lets its hook replace.
REWRITING_HOOK = "rewriting hook"


class Unspoken:
    """Stands in ``Call.args`` where there are no arguments that a clause could look into."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


#: There are arguments and nobody can read them: every clause is unknown.
UNKNOWN = Unspoken("unknown")
#: There is no call yet, only a tool that might be called with any arguments: a clause holds on a rule that
#: permits, and not on one that enforces, so that a call is denied only where no arguments could let it pass.
OPEN = Unspoken("open")


class Call:
    """One tool call as the rules see it.

    ``args`` is what clauses select from: the agent's arguments with the canonical keys set by its dialect.
    ``native_args`` is what the agent sent, and what a decision hands back. ``canonical`` is the second name
    a glob may match (``shell.exec``), where the dialect knows one. ``surface`` is the stage, or
    ``REWRITING_HOOK`` at a hook that can change the arguments. ``more`` are the other things that the same
    call does, or other ways to read it: each is judged, and the strictest outcome is that of the call.

    ``cost_cents`` is what the run has spent since it last said so. ``counted`` is what counting this call
    came to: the label of a rule with a budget -> the number that the budget is about. Only who counts sets
    it, never a document; a rule that is not in it has a budget that cannot be known.
    """

    __slots__ = (
        "agent",
        "args",
        "call_id",
        "canonical",
        "cost_cents",
        "counted",
        "cwd",
        "environment_id",
        "facts",
        "is_unknown",
        "more",
        "native_args",
        "os",
        "realpaths",
        "run",
        "session",
        "skill",
        "stage",
        "surface",
        "tool",
    )

    def __init__(
        self,
        tool: str,
        args: object = None,
        stage: str = DEFAULT_STAGE,
        agent: str | None = None,
        *,
        canonical: str | None = None,
        native_args: object = None,
        skill: str | None = None,
        run: str | None = None,
        session: str | None = None,
        environment_id: str | None = None,
        cwd: str | None = None,
        os: str | None = None,
        realpaths: list[str] | None = None,
        cost_cents: int = 0,
    ) -> None:
        self.tool = tool
        self.args = {} if args is None else args
        self.stage = stage
        self.agent = agent
        self.canonical = canonical
        self.native_args = self.args if native_args is None else native_args
        self.skill = skill
        self.run = run
        self.session = session
        self.environment_id = environment_id
        self.cwd = cwd
        self.os = os
        self.realpaths = realpaths
        self.surface = stage
        self.more: tuple[Call, ...] = ()
        #: A part of a call of which nothing is known but that there is one (meta_tools.py).
        self.is_unknown = False
        self.cost_cents = cost_cents
        self.counted: Mapping[str, int] = NOTHING_COUNTED
        #: What the agent calls this attempt (``tool_use_id``), where it says so.
        self.call_id: str | None = None
        #: A command line of this call and its shell facts, once they were derived (shell_clauses.py).
        self.facts: tuple[object, object] | None = None

    @property
    def parts(self) -> tuple[Call, ...]:
        """This call and those in ``more``."""
        return (self, *self.more)

    @property
    def names(self) -> tuple[str, ...]:
        """The names a glob may match: the native one, then the canonical one where it differs."""
        return (self.tool,) if self.canonical is None else (self.tool, self.canonical)

    @property
    def command_line(self) -> object:
        """What a shell's call runs; None of a call that is no shell's."""
        is_shell = self.tool == "shell.exec" or self.canonical == "shell.exec"
        return self.args.get("command") if is_shell and isinstance(self.args, dict) else None


class Budget:
    """A condition on what was counted before this call: it holds where more than ``limit`` was.

    ``cap_cost``: the cents that the run has spent. ``rate``: the calls of one window of ``window`` seconds,
    this one among them, ``per`` agent, run or tool. ``sequence``: the ``steps`` that the run has taken in
    order within ``window`` seconds (0: however long), up to this call; a step is a tool glob and whether it
    is a call at the stage ``egress``.
    """

    __slots__ = ("kind", "limit", "per", "steps", "window")

    def __init__(
        self,
        kind: str,
        limit: int,
        *,
        window: int = 0,
        per: str = "run",
        steps: tuple[tuple[str, bool], ...] = (),
    ) -> None:
        self.kind = kind
        self.limit = limit
        self.window = window
        self.per = per
        self.steps = steps


class Source:
    """Where a policy or rule was written: a path relative to its bundle, and a 1-based line."""

    __slots__ = ("line", "path")

    def __init__(self, path: str, line: int) -> None:
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Clause:
    """One condition on the arguments: ``path`` selects values, ``op`` tests each against ``value``."""

    __slots__ = ("match", "negated", "on_missing", "op", "path", "steps", "value", "when_unknown")

    def __init__(
        self,
        path: str,
        steps: list[list[object]],
        op: str,
        value: object,
        *,
        negated: bool,
        on_missing: bool,
        match: str,
        when_unknown: bool | None = None,
    ) -> None:
        self.path = path
        self.steps = steps
        self.op = op
        self.value = value
        self.negated = negated
        #: What the clause is when the path selects nothing.
        self.on_missing = on_missing
        #: ``any`` or ``all`` of the selected values.
        self.match = match
        #: What the clause is when it cannot be known; None leaves it unknown.
        self.when_unknown = when_unknown


class Rule:
    """One rule in evaluation order; it matches when every condition it declares holds."""

    __slots__ = (
        "approval",
        "budget",
        "clauses",
        "egress",
        "label",
        "priority",
        "reason",
        "reason_code",
        "risk_factors",
        "sanitize",
        "shadow",
        "skills",
        "source",
        "stages",
        "tools",
        "verdict",
    )

    def __init__(
        self,
        label: str,
        priority: int,
        verdict: str,
        source: Source,
        *,
        stages: frozenset[str] | None = None,
        tools: tuple[str, ...] | None = None,
        clauses: tuple[Clause, ...] = (),
        reason: str | None = None,
        reason_code: str | None = None,
        risk_factors: tuple[str, ...] = (),
        sanitize: dict[str, list[str]] | None = None,
        egress: dict[str, list[str]] | None = None,
        skills: tuple[str, ...] | None = None,
        budget: Budget | None = None,
        shadow: bool = False,
        approval: dict[str, object] | None = None,
    ) -> None:
        self.label = label
        self.priority = priority
        self.verdict = verdict
        self.source = source
        self.stages = stages
        self.tools = tools
        self.clauses = clauses
        self.reason = reason
        self.reason_code = reason_code
        self.risk_factors = risk_factors
        #: What ``sanitize`` takes out of the arguments.
        self.sanitize = sanitize
        #: Destinations the rule is about, at stage ``egress``.
        self.egress = egress
        #: Globs of the skill that the call is made for.
        self.skills = skills
        self.budget = budget
        #: Recorded, never decisive: the walk goes on after it.
        self.shadow = shadow
        #: ``ttl`` and ``approvers`` of a hold.
        self.approval = approval


class Policy:
    """Rules in evaluation order and what happens when none matches."""

    __slots__ = ("default_verdict", "name", "rules", "shadow", "source")

    def __init__(
        self, name: str, default_verdict: str, shadow: bool, source: Source, rules: tuple[Rule, ...]
    ) -> None:
        self.name = name
        self.default_verdict = default_verdict
        self.shadow = shadow
        self.source = source
        self.rules = rules


class Outcome:
    """What a policy says about a call. Immutable by convention and shared between calls:
    whatever belongs to one call alone (id, time, arguments) is added at the edge."""

    __slots__ = (
        "allowed",
        "policy",
        "priority",
        "reason",
        "reason_code",
        "risk_factors",
        "rule",
        "sanitize",
        "shadow",
        "source",
        "verdict",
        "would_be",
    )

    def __init__(
        self,
        verdict: str,
        reason: str,
        reason_code: str,
        *,
        policy: str | None = None,
        rule: str | None = None,
        priority: int | None = None,
        risk_factors: tuple[str, ...] = (),
        source: str | None = None,
        would_be: str | None = None,
        shadow: bool = False,
        sanitize: dict[str, list[str]] | None = None,
    ) -> None:
        self.verdict = verdict
        self.allowed = verdict in PASSING
        self.reason = reason
        self.reason_code = reason_code
        self.policy = policy
        self.rule = rule
        self.priority = priority
        self.risk_factors = risk_factors
        self.source = source
        #: The policy, or this rule, is in shadow.
        self.shadow = shadow
        #: The verdict without shadow, where shadow changed it.
        self.would_be = would_be
        #: What to take out of the arguments before the tool runs, of the verdict ``sanitize``.
        self.sanitize = sanitize

    def changed(
        self, verdict: str, reason: str, reason_code: str, sanitize: dict[str, list[str]] | None = None
    ) -> Outcome:
        """The same policy's and rule's outcome with another verdict and reason."""
        return Outcome(
            verdict,
            reason,
            reason_code,
            policy=self.policy,
            rule=self.rule,
            priority=self.priority,
            risk_factors=self.risk_factors,
            source=self.source,
            would_be=self.would_be,
            shadow=self.shadow,
            sanitize=sanitize,
        )
