"""The two ways in which most calls are decided: by the tool's name, or by a set of regular expressions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice

from policyc.bench import catalogue
from policyc.engine.glob_index import GlobIndex
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


#: Command lines of 40 and 100 characters; the number makes them distinct.
_SIMPLE = "git commit --all --message fix-bug-{number:05d}"
_COMPOUND = (
    "cd /srv/a{number:05d} && npm ci --silent && npm run build -- --prod | tee build.log; "
    "git status -s {number:05d}.log"
)
_PROGRAMS = ("rm", "mkfs", "dd", "shred", "terraform", "kubectl", "aws", "docker", "psql", "chmod")


def by_simple_command(rules: int, *, calls: int) -> Scenario:
    """Rules on the shell facts of one simple command, of which the last matches every other time."""
    return _by_shell("shell facts, 40 characters", 60.0, _SIMPLE, rules, calls)


def by_compound_line(rules: int, *, calls: int) -> Scenario:
    """The same on a line of five commands."""
    return _by_shell("shell facts, 100 characters", 250.0, _COMPOUND, rules, calls)


def _by_shell(name: str, target_us: float, line: str, rules: int, calls: int) -> Scenario:
    made = []
    for number in range(calls):
        is_match = number % 2 == 1
        args = {"command": line.format(number=number), "customer": number, "last": is_match}
        made.append(MadeCall(Call("shell.exec", args, cwd="/w"), _label(rules - 1) if is_match else None))
    clauses = [[_shell_clause({"program": _PROGRAMS[n % len(_PROGRAMS)]})] for n in range(rules - 1)]
    clauses.append([_shell_clause({"program": "git"}), _clause_on_last()])
    return Scenario(
        name, target_us, _plan([_rule(n, ["shell.exec"], found) for n, found in enumerate(clauses)]), made
    )


def _shell_clause(value: dict[str, object]) -> dict[str, object]:
    return _clause(0) | {"op": "shell", "value": value}


def _clause_on_last() -> dict[str, object]:
    return _clause(0) | {"path": "$.last", "steps": [["field", "last"]], "op": "eq", "value": True}


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
