"""The two ways in which most calls are decided: by the tool's name, or by a set of regular expressions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice

from policyc.bench import catalogue
from policyc.engine.globs import GlobIndex
from policyc.engine.model import Call
from policyc.engine.plan import FORMAT


@dataclass(frozen=True)
class MadeCall:
    """A call, and the label of the rule that decides it (None: the default verdict)."""

    call: Call
    rule: str | None


@dataclass(frozen=True)
class Scenario:
    """Plan data, and distinct calls on it."""

    name: str
    target_us: float
    plan: dict[str, object]
    calls: list[MadeCall]


def by_name(rules: int, *, calls: int, tools: int) -> Scenario:
    """No rule looks at arguments: the first that covers the name decides."""
    globs = list(catalogue.globs(rules))
    index = _index(globs)
    made = []
    for number, name in enumerate(islice(cycle(catalogue.tool_names(rules, tools)), calls)):
        covering = index.lookup((name,))
        call = Call(name, {"command": catalogue.harmless_command(number), "customer": number})
        made.append(MadeCall(call, _label(covering[0]) if covering else None))
    return Scenario("name", 3.0, _plan([_rule(n, found, []) for n, found in enumerate(globs)]), made)


def by_regex(rules: int, *, calls: int, tools: int) -> Scenario:
    """Every rule has one expression on ``$.command``: none matches, or, every other time, that of the last
    rule that covers the name."""
    globs = list(catalogue.globs(rules))
    index = _index(globs)
    made = []
    for number, name in enumerate(islice(cycle(catalogue.tool_names(rules, tools)), calls)):
        covering = index.lookup((name,))
        # The round through the names, so that every name gets calls of both kinds.
        is_match = bool(covering) and (number // tools) % 2 == 1
        command = f"cd /srv/jobs/{number} && "
        if is_match:
            command = (
                catalogue.matching_command(covering[-1])
                if covering[-1] % 4 == 3
                else command + (catalogue.matching_command(covering[-1]))
            )
        else:
            command += catalogue.harmless_command(number)
        call = Call(name, {"command": command, "customer": number})
        made.append(MadeCall(call, _label(covering[-1]) if is_match else None))
    return Scenario(
        "regex set", 6.0, _plan([_rule(n, found, [_clause(n)]) for n, found in enumerate(globs)]), made
    )


def _index(globs: list[list[str]]) -> GlobIndex:
    return GlobIndex([tuple(found) for found in globs])


def _label(number: int) -> str:
    return f"rule {number}"


def _clause(number: int) -> dict[str, object]:
    return {
        "path": "$.command",
        "steps": [["field", "command"]],
        "op": "regex",
        "value": catalogue.pattern(number),
        "not": False,
        "on_missing": "no_match",
        "match": "any",
    }


def _rule(number: int, tools: list[str], clauses: list[dict[str, object]]) -> dict[str, object]:
    return {
        "label": _label(number),
        "priority": number,
        "stages": None,
        "tools": tools,
        "clauses": clauses,
        "verdict": ("deny", "audit", "pending_approval")[number % 3],
        "reason": f"Rule {number} says so.",
        "reason_code": None,
        "risk_factors": ["bench"],
        "source": {"path": "policies/bench.yaml", "line": number + 1},
    }


def _plan(rules: list[dict[str, object]]) -> dict[str, object]:
    policy = {
        "default_verdict": "allow",
        "shadow": False,
        "description": None,
        "source": {"path": "policies/bench.yaml", "line": 1},
        "rules": rules,
    }
    return {
        "format": FORMAT,
        "bundle": "bench",
        "default_policy": "bench",
        "bindings": [],
        "policies": {"bench": policy},
    }
