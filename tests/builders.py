"""Small plans and rules, as the compiler would write them."""

from __future__ import annotations

from jsonpath_ng import Child, Descendants, Fields, Index, Root, parse

from policyc.engine.plan import Plan


def steps(path: str) -> list[list[object]]:
    """The steps of a simple JSONPath."""

    def walk(node: object) -> list[list[object]]:
        if isinstance(node, Root):
            return []
        if isinstance(node, Child):
            return walk(node.left) + walk(node.right)
        if isinstance(node, Descendants):
            return [*walk(node.left), ["descent"], *walk(node.right)]
        if isinstance(node, Fields):
            return [["field", node.fields[0]]]
        if isinstance(node, Index):
            return [["index", node.indices[0]]]
        return [["wildcard"]]

    return walk(parse(path))


def clause(path: str, op: str, value: object = True, **changes: object) -> dict[str, object]:
    """A clause in plan form."""
    base = {
        "path": path,
        "steps": steps(path),
        "op": op,
        "value": value,
        "not": False,
        "on_missing": "no_match",
        "match": "any",
    }
    return base | changes


def rule(verdict: str = "deny", **changes: object) -> dict[str, object]:
    """A rule in plan form that matches every call."""
    base = {
        "label": "r",
        "priority": 1,
        "stages": None,
        "tools": None,
        "clauses": [],
        "verdict": verdict,
        "reason": None,
        "reason_code": None,
        "risk_factors": [],
        "source": {"path": "policies/p.yaml", "line": 3, "column": 5},
    }
    return base | changes


def plan_data(
    rules: list[dict[str, object]], *, default: str = "allow", shadow: bool = False, **changes: object
) -> dict[str, object]:
    """A plan of one policy ``p``."""
    policy = {
        "default_verdict": default,
        "shadow": shadow,
        "description": None,
        "source": {"path": "policies/p.yaml", "line": 1},
        "rules": rules,
    }
    base = {"format": 1, "bundle": "t", "default_policy": "p", "bindings": [], "policies": {"p": policy}}
    return base | changes


def plan(rules: list[dict[str, object]], **changes: object) -> Plan:
    """The loaded plan of one policy ``p``."""
    return Plan.load(plan_data(rules, **changes))  # type: ignore[arg-type]


def named(groups: dict[str, dict[str, object]]) -> list[dict[str, object]]:
    """Hook groups as data.json lists them."""
    return [{"name": name, **group} for name, group in groups.items()]
