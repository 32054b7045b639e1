"""The compiled policy as plain JSON data, and the check that it is one.

An artifact may come from anywhere, so loading trusts nothing: whatever the evaluator relies on is checked
here, and a plan of another format is refused rather than half understood.
"""

from __future__ import annotations

from policyc.engine.globs import matches
from policyc.engine.model import (
    DEFAULT_VERDICTS,
    RULE_VERDICTS,
    STAGES,
    Budget,
    Clause,
    Policy,
    Rule,
    Source,
)
from policyc.engine.operators import OPERATORS
from policyc.engine.paths import PathError, check_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from policyc.engine.meta_tools import MetaTool

FORMAT = 1

_BUDGET_KEYS = ("cap_cost_cents", "rate", "sequence", "enforce")
_RULE_KEYS = frozenset(
    (
        "label",
        "priority",
        "stages",
        "tools",
        "clauses",
        "verdict",
        "reason",
        "reason_code",
        "risk_factors",
        "sanitize",
        "egress",
        "skills",
        "shadow",
        "approval",
        *_BUDGET_KEYS,
        "source",
        "literals",
    )
)
_META_TOOL_KEYS = frozenset(("tools", "each", "name", "arguments", "prefix"))
_CLAUSE_KEYS = frozenset(("path", "steps", "op", "value", "not", "on_missing", "match", "unknown"))


class PlanError(ValueError):
    """Plan data that cannot be used: ``path`` is where (``$.a.b[0]``), ``message`` why."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


class Plan:
    """Policies, and which one governs which agent."""

    __slots__ = ("bindings", "bundle", "data", "default_policy", "meta_tools", "policies")

    def __init__(
        self,
        bundle: str,
        policies: dict[str, Policy],
        default_policy: str | None,
        bindings: list[tuple[tuple[str, ...], str]],
        data: dict[str, object],
        meta_tools: tuple[MetaTool, ...] = (),
    ) -> None:
        self.bundle = bundle
        self.policies = policies
        self.default_policy = default_policy
        self.bindings = bindings
        self.meta_tools = meta_tools
        #: The plan as it was loaded.
        self.data = data

    @classmethod
    def load(cls, raw: object) -> Plan:
        """The plan in ``raw`` (parsed JSON). Raises PlanError."""
        outline = Outline(raw)
        policies = {}
        for name in outline.policies:
            policies[name], rules, path = outline.policy(name)
            policies[name].rules = _in_order(rules, path)
        return cls(
            outline.bundle,
            policies,
            outline.default_policy,
            outline.bindings,
            outline.data,
            outline.meta_tools,
        )

    def policy_for(self, agent: str | None) -> Policy | None:
        """The policy that governs ``agent``: the first binding that covers it, else the default."""
        name = governing(self.bindings, self.default_policy, agent)
        return None if name is None else self.policies[name]


class Outline:
    """A plan whose rules are still data. Raises PlanError."""

    __slots__ = ("bindings", "bundle", "data", "default_policy", "meta_tools", "policies")

    def __init__(self, raw: object) -> None:
        data = self.data = _object(raw, "$")
        found = data.get("format")
        if found != FORMAT or found is True:
            raise PlanError("$.format", f"format {found!r} is not {FORMAT}: build the artifact again")
        self.bundle = _text(data, "bundle", "$")
        self.policies = _object(data.get("policies"), "$.policies")
        if not self.policies:
            raise PlanError("$.policies", "no policies")
        self.default_policy = _optional_text(data, "default_policy", "$")
        if self.default_policy is not None and self.default_policy not in self.policies:
            raise PlanError("$.default_policy", f"unknown policy {self.default_policy!r}")
        self.bindings = [
            _binding(entry, self.policies, f"$.bindings[{n}]")
            for n, entry in enumerate(_list(data, "bindings", "$"))
        ]
        if data.get("mask"):
            _check_masks(_list(data, "mask", "$"))
        self.meta_tools = _meta_tools(data) if data.get("meta_tools") else ()

    def policy(self, name: str) -> tuple[Policy, list[object], str]:
        """The policy without its rules, their data, and the path of that."""
        path = f"$.policies.{name}"
        data = _object(self.policies[name], path)
        default = _one_of(data, "default_verdict", DEFAULT_VERDICTS, path)
        policy = Policy(name, default, _flag(data, "shadow", path), _source(data, path), ())
        return policy, _list(data, "rules", path), f"{path}.rules"


def _check_masks(masks: list[object]) -> None:
    for number, steps in enumerate(masks):
        _steps(steps, f"$.mask[{number}]")


def _meta_tools(data: dict[str, object]) -> tuple[MetaTool, ...]:
    from policyc.engine.meta_tools import MetaTool  # most plans have none

    found = []
    for number, raw in enumerate(_list(data, "meta_tools", "$")):
        path = f"$.meta_tools[{number}]"
        entry = _object(raw, path, _META_TOOL_KEYS)
        each = None if entry.get("each") is None else _steps(entry["each"], f"{path}.each")
        name, arguments = (_steps(entry.get(key), f"{path}.{key}") for key in ("name", "arguments"))
        tools = tuple(_texts(entry, "tools", path))
        found.append(MetaTool(tools, each, name, arguments, _text(entry, "prefix", path)))
    return tuple(found)


def governing(
    bindings: list[tuple[tuple[str, ...], str]], default: str | None, agent: str | None
) -> str | None:
    """The name of the policy that governs ``agent``."""
    if agent is not None:
        for globs, policy in bindings:
            if any(matches(glob, agent) for glob in globs):
                return policy
    return default


def _in_order(raw: list[object], path: str) -> tuple[Rule, ...]:
    rules = tuple(read_rule(entry, f"{path}[{n}]") for n, entry in enumerate(raw))
    priorities = [rule.priority for rule in rules]
    if priorities != sorted(priorities):
        raise PlanError(path, "not in order of priority")
    return rules


def read_rule(raw: object, path: str, *, is_own: bool = False) -> Rule:
    """The rule in ``raw``, which is at ``path``. Raises PlanError.

    Values of clauses are not checked in data that ``is_own``: that this program wrote from a checked plan.
    """
    data = _object(raw, path, _RULE_KEYS)
    priority = data.get("priority")
    if not isinstance(priority, int) or isinstance(priority, bool):
        raise PlanError(f"{path}.priority", "not an integer")
    stages = None if data.get("stages") is None else _texts(data, "stages", path)
    for stage in stages or ():
        if stage not in STAGES:
            raise PlanError(f"{path}.stages", f"unknown stage {stage!r}")
    tools, skills = _globs(data, "tools", path), _globs(data, "skills", path)
    verdict = _one_of(data, "verdict", RULE_VERDICTS, path)
    budget = _budget(data, path)
    if "literals" in data:
        _read_literals(data["literals"], f"{path}.literals")
    return Rule(
        _text(data, "label", path),
        priority,
        verdict,
        _source(data, path),
        stages=None if stages is None else frozenset(stages),
        tools=tools,
        clauses=tuple(
            _clause(entry, f"{path}.clauses[{n}]", is_own)
            for n, entry in enumerate(_list(data, "clauses", path))
        ),
        reason=_optional_text(data, "reason", path),
        reason_code=_optional_text(data, "reason_code", path),
        risk_factors=tuple(_texts(data, "risk_factors", path)),
        sanitize=_sanitize(data, verdict, path),
        egress=_egress(data, verdict, path),
        skills=skills,
        budget=budget,
        shadow=_shadow(data, path),
        approval=_approval(data, verdict, path),
    )


def _read_literals(raw: object, path: str) -> None:
    """The key ``literals`` of a rule in a plan for one process per call (compiler/literals.py)."""
    from policyc.engine.regex import prepare  # most rules have no patterns

    for source, entry in _object(raw, path).items():
        data = _object(entry, path)
        prepare(source, _texts(data, "texts", path), _flag(data, "folded", path))


def _globs(data: dict[str, object], key: str, path: str) -> tuple[str, ...] | None:
    if data.get(key) is None:
        return None
    globs = tuple(_texts(data, key, path))
    if not globs:
        raise PlanError(f"{path}.{key}", "no globs")
    return globs


def _budget(data: dict[str, object], path: str) -> Budget | None:
    if data.get("verdict") != "cap_cost" and not any(key in data for key in _BUDGET_KEYS):
        return None
    from policyc.engine import budgets  # most plans have none

    problem = budgets.check(data)
    if problem is not None:
        raise PlanError(path, problem)
    return budgets.read(data)


def _shadow(data: dict[str, object], path: str) -> bool:
    """Whether the rule is only recorded; a sequence is, until it says ``enforce``."""
    said = data.get("shadow") is not None and _flag(data, "shadow", path)
    if said and data["verdict"] == "allow":
        raise PlanError(f"{path}.shadow", "an allow has nothing to record")
    return said or (data.get("sequence") is not None and data.get("enforce") is not True)


def _approval(data: dict[str, object], verdict: str, path: str) -> dict[str, object] | None:
    if data.get("approval") is None:
        return None
    where = f"{path}.approval"
    config = _object(data["approval"], where, frozenset(("ttl", "approvers")))
    if verdict != "pending_approval":
        raise PlanError(where, "stands with the verdict pending_approval, and only there")
    ttl = config.get("ttl", 1)
    if not isinstance(ttl, int) or isinstance(ttl, bool) or ttl < 1:
        raise PlanError(f"{where}.ttl", "not a number of seconds")
    if "approvers" in config:
        _texts(config, "approvers", where)
    return config


def _sanitize(data: dict[str, object], verdict: str, path: str) -> dict[str, list[str]] | None:
    config = data.get("sanitize")
    if (config is None) is (verdict == "sanitize"):
        raise PlanError(f"{path}.sanitize", "stands with the verdict sanitize, and only there")
    if config is None:
        return None
    from policyc.engine import sanitize  # most plans have none

    return _checked(config, sanitize.check(config), f"{path}.sanitize")


def _egress(data: dict[str, object], verdict: str, path: str) -> dict[str, list[str]] | None:
    config = data.get("egress")
    if config is None:
        return None
    if data.get("stages") != ["egress"]:
        raise PlanError(f"{path}.egress", "needs the stage egress alone")
    from policyc.engine import egress  # most plans have none

    return _checked(config, egress.check(config, verdict), f"{path}.egress")


def _checked(config: object, problem: str | None, path: str) -> dict[str, list[str]]:
    if problem is not None or not isinstance(config, dict):
        raise PlanError(path, problem or "not an object")
    return config


def _clause(raw: object, path: str, is_own: bool) -> Clause:
    data = _object(raw, path, _CLAUSE_KEYS)
    op = _one_of(data, "op", tuple(OPERATORS), path)
    value = data.get("value")
    problem = None if is_own else OPERATORS[op].check(value)
    if problem is not None:
        raise PlanError(f"{path}.value", f"{op}: {problem}")
    return Clause(
        _text(data, "path", path),
        _steps(data.get("steps"), f"{path}.steps"),
        op,
        value,
        negated=_flag(data, "not", path),
        on_missing=_one_of(data, "on_missing", ("match", "no_match"), path) == "match",
        match=_one_of(data, "match", ("any", "all"), path),
        when_unknown=_when_unknown(data, path),
    )


def _steps(raw: object, path: str) -> list[list[object]]:
    try:
        return check_steps(raw)
    except PathError as error:
        raise PlanError(path, str(error)) from None


def _when_unknown(data: dict[str, object], path: str) -> bool | None:
    if data.get("unknown") is None:
        return None
    return _one_of(data, "unknown", ("match", "no_match"), path) == "match"


def _binding(raw: object, policies: dict[str, object], path: str) -> tuple[tuple[str, ...], str]:
    data = _object(raw, path)
    policy = _text(data, "policy", path)
    if policy not in policies:
        raise PlanError(f"{path}.policy", f"unknown policy {policy!r}")
    return tuple(_texts(data, "agents", path)), policy


def _source(data: dict[str, object], path: str) -> Source:
    source = _object(data.get("source"), f"{path}.source")
    line = source.get("line")
    if not isinstance(line, int):
        raise PlanError(f"{path}.source.line", "not an integer")
    return Source(_text(source, "path", f"{path}.source"), line)


# One reader per JSON type; each raises PlanError with the place.


def _object(value: object, path: str, keys: frozenset[str] | None = None) -> dict[str, object]:
    if not isinstance(value, dict):
        raise PlanError(path, "not an object")
    for key in value:
        if keys is not None and key not in keys:
            raise PlanError(path, f"unknown key {key!r}: this version does not know what it means")
    return value


def _list(data: dict[str, object], key: str, path: str) -> list[object]:
    value = data.get(key)
    if not isinstance(value, list):
        raise PlanError(f"{path}.{key}", "not a list")
    return value


def _texts(data: dict[str, object], key: str, path: str) -> list[str]:
    value = _list(data, key, path)
    if not all(isinstance(item, str) for item in value):
        raise PlanError(f"{path}.{key}", "not a list of strings")
    return value  # type: ignore[return-value]


def _text(data: dict[str, object], key: str, path: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise PlanError(f"{path}.{key}", "not a string")
    return value


def _optional_text(data: dict[str, object], key: str, path: str) -> str | None:
    return None if data.get(key) is None else _text(data, key, path)


def _flag(data: dict[str, object], key: str, path: str) -> bool:
    value = data.get(key)
    if not isinstance(value, bool):
        raise PlanError(f"{path}.{key}", "not a bool")
    return value


def _one_of(data: dict[str, object], key: str, allowed: tuple[str, ...], path: str) -> str:
    value = _text(data, key, path)
    if value not in allowed:
        raise PlanError(f"{path}.{key}", f"unknown {key} {value!r}; this version knows {', '.join(allowed)}")
    return value
