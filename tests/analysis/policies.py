"""Policies for the analyser's tests, from YAML and from hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from policyc.engine.model import Clause, Policy, Rule, Source

SOURCE = Source("p.yaml", 1)
TOOLS = ("a", "b", "a.x", "a.y", "code_execution")
GLOBS = ("a", "b", "a.*", "*", "*x", "shell.*", "a*y")
STAGES = ("mcp", "hook")
FIELDS = ("n", "s")
NUMBERS = (0, 1, 1.5, 2)
TEXTS = ("", "x", "xy", "yx", "10.0.0.1")
#: Command lines: the last one runs what cannot be known.
LINES = ("x", "xy a", "$x")
SKILLS = (None, "x", "xy")


def clause(op: str, value: Any, field: str = "n", **changes: Any) -> Clause:
    options = {"negated": False, "on_missing": False, "match": "any", **changes}
    return Clause(f"$.{field}", [["field", field]], op, value, **options)


_values = st.sampled_from((*NUMBERS, *TEXTS, None, True))
_clauses = st.builds(
    lambda op_value, field, negated, on_missing: clause(
        *op_value, field, negated=negated, on_missing=on_missing
    ),
    st.one_of(
        st.tuples(st.just("eq"), _values),
        st.tuples(st.just("in"), st.lists(_values, min_size=1, max_size=3)),
        st.tuples(st.sampled_from(("gt", "gte", "lt", "lte")), st.sampled_from(NUMBERS)),
        st.tuples(st.sampled_from(("contains", "starts_with", "ends_with")), st.sampled_from(TEXTS)),
        st.tuples(st.just("regex"), st.sampled_from(("x", "^x", "x$", "^x*$", "^[^x]", "(?i)XY"))),
        st.tuples(st.just("exists"), st.booleans()),
        st.tuples(st.just("cidr_match"), st.sampled_from(("10.0.0.0/8", "10.0.0.1/32"))),
        st.tuples(st.just("shell"), st.sampled_from(({"program": ["x"]}, {"program": ["x", "xy"]}))),
    ),
    st.sampled_from(FIELDS),
    st.booleans(),
    st.booleans(),
)


#: Nobody can tell the host of it, nor where it leads.
UNSURE = "http://[/.."
_unsure = st.builds(
    lambda op_value, negated, when_unknown: clause(
        *op_value, "s", negated=negated, when_unknown=when_unknown
    ),
    st.sampled_from((("host", "x"), ("path", "/x/**"))),
    st.booleans(),
    st.sampled_from((None, True, False)),
)


def _rule(number: int, verdict: str, globs: Any, stages: Any, clauses: Any, more: Any = None) -> Rule:
    sanitize = {"presets": ["email"]} if verdict == "sanitize" else None
    options = {"tools": globs, "stages": stages, "clauses": tuple(clauses), "sanitize": sanitize}
    return Rule(f"r{number}", number, verdict, SOURCE, **{**options, **(more or {})})


_rules = st.tuples(
    st.sampled_from(("allow", "audit", "deny", "pending_approval", "sanitize")),
    st.one_of(st.none(), st.lists(st.sampled_from(GLOBS), min_size=1, max_size=2).map(tuple)),
    st.one_of(st.none(), st.sampled_from(STAGES).map(lambda stage: frozenset({stage}))),
    st.lists(_clauses | _unsure, max_size=2),
    st.sampled_from(({}, {}, {"shadow": True}, {"skills": ("x",)}, {"skills": ("*y", "z")})),
)


def policy(rules: list[Any], default: str = "audit", *, shadow: bool = False) -> Policy:
    made = tuple(_rule(number, *rule) for number, rule in enumerate(rules))
    return Policy("p", default, shadow, SOURCE, made)


policies = st.builds(
    policy,
    st.lists(_rules, max_size=4),
    st.sampled_from(("allow", "audit", "deny")),
    shadow=st.sampled_from((False, False, True)),
)


@st.composite
def edits(draw: st.DrawFn) -> tuple[Policy, Policy]:
    """A policy, and it after one edit: a rule added, removed, moved or changed, or the default."""
    rules = draw(st.lists(_rules, min_size=1, max_size=4))
    edited = list(rules)
    place = draw(st.integers(0, len(rules) - 1))
    kind = draw(st.sampled_from(("add", "remove", "move", "change", "default", "verdict")))
    if kind == "add":
        edited.insert(place, draw(_rules))
    elif kind == "remove":
        del edited[place]
    elif kind == "move":
        edited.insert(draw(st.integers(0, len(rules) - 1)), edited.pop(place))
    elif kind == "change":
        edited[place] = draw(_rules)
    elif kind == "verdict":
        edited[place] = (draw(_rules)[0], *rules[place][1:])
    default = draw(st.sampled_from(("allow", "deny"))) if kind == "default" else "audit"
    return policy(rules), policy(edited, default)


def documents() -> list[dict[str, Any]]:
    """Every call of a small world."""
    values: list[Any] = [
        *NUMBERS,
        3,
        *TEXTS,
        *LINES,
        "xyx",
        UNSURE,
        "/x/y",
        "10.2.3.4",
        None,
        True,
        False,
        [],
        {},
    ]
    found = []
    for tool in TOOLS:
        for stage in STAGES:
            found += [_document(tool, stage, {field: value}) for field in FIELDS for value in values]
            for args in ({}, {"n": 2, "s": "x"}, {"n": "$x", "s": "$x"}, {"n": "xy a", "s": "xy a"}):
                found += [_document(tool, stage, args, skill) for skill in SKILLS]
    return [*found, {"tool": "a", "stage": "egress"}, {"tool": "a", "stage": "egress", "args": {"host": "x"}}]


def _document(tool: str, stage: str, args: dict[str, Any], skill: str | None = None) -> dict[str, Any]:
    args = {"code": "ls", **args} if tool == "code_execution" else args
    return {"tool": tool, "stage": stage, "args": args, **({} if skill is None else {"skill": skill})}
