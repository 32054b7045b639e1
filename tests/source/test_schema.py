"""The schemas that ship, and the fast acceptor against jsonschema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from policyc.engine.budgets import LONGEST_WINDOW, MOST_CENTS, MOST_STEPS, PER
from policyc.engine.model import DEFAULT_VERDICTS, RULE_VERDICTS, STAGES, VERDICTS
from policyc.engine.operators import OPERATORS
from policyc.engine.secret_presets import PRESETS
from policyc.engine.shell import KEYS
from policyc.source.acceptor import compile_acceptor
from policyc.source.catalogue import CATALOGUE
from policyc.source.schema import NAMES, schema_text, shape

POLICY = json.loads(schema_text("policy"))
DEFINITIONS = POLICY["$defs"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(json.loads(schema_text(name)))


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_described(name: str) -> None:
    """Editors show the description: a key without one, or without one behind its reference, is a gap."""

    def walk(schema: Any, path: str) -> None:
        if not isinstance(schema, dict):
            return
        for key, sub in schema.get("properties", {}).items():
            described = "description" in sub or "description" in root["$defs"].get(
                sub.get("$ref", "")[8:], {}
            )
            assert described or key in ("type", "allowlist"), f"{path}.{key}"
            walk(sub, f"{path}.{key}")
        for keyword in ("items", "additionalProperties"):
            walk(schema.get(keyword), f"{path}.{keyword}")

    root = json.loads(schema_text(name))
    for place, schema in {"$": root, **root.get("$defs", {})}.items():
        walk(schema, place)


@pytest.mark.parametrize("name", NAMES)
def test_the_codes_in_the_schemas_exist(name: str) -> None:
    def codes(schema: Any) -> set[str]:
        if isinstance(schema, list):
            return {code for item in schema for code in codes(item)}
        if not isinstance(schema, dict):
            return set()
        return set(schema.get("x-code", {}).values()) | {
            code for item in schema.values() for code in codes(item)
        }

    assert codes(json.loads(schema_text(name))) <= set(CATALOGUE)


def test_the_schema_and_the_engine_name_the_same_things() -> None:
    rule = DEFINITIONS["rule"]["properties"]
    assert tuple(DEFINITIONS["stage"]["enum"]) == STAGES
    assert tuple(rule["verdict"]["enum"]) == RULE_VERDICTS
    assert tuple(DEFINITIONS["policy"]["properties"]["default_verdict"]["enum"]) == DEFAULT_VERDICTS
    assert tuple(DEFINITIONS["clause"]["properties"]["op"]["enum"]) == tuple(OPERATORS)
    assert tuple(DEFINITIONS["rate"]["properties"]["per"]["enum"]) == PER
    assert DEFINITIONS["rate"]["properties"]["window_seconds"]["maximum"] == LONGEST_WINDOW
    assert DEFINITIONS["sequence"]["properties"]["window_seconds"]["maximum"] == LONGEST_WINDOW
    assert DEFINITIONS["step"]["properties"]["min_count"]["maximum"] == MOST_STEPS
    assert rule["cap_cost_cents"]["maximum"] == MOST_CENTS
    assert tuple(DEFINITIONS["shell"]["properties"]) == tuple(KEYS)
    assert tuple(DEFINITIONS["preset"]["enum"]) == tuple(PRESETS)


def test_an_unknown_keyword_is_no_gap() -> None:
    with pytest.raises(ValueError, match="uniqueItems"):
        compile_acceptor({"type": "array", "uniqueItems": True}, {})


# Values that are near the schema: its own words, in and out of their places.
_BUNDLE_WORDS = [
    "bundle",
    "bindings",
    "agents",
    "hooks",
    "server",
    "url",
    "handler",
    "type",
    "command",
    "http",
]
_words = st.sampled_from(
    [
        *DEFINITIONS["policy"]["properties"],
        *DEFINITIONS["rule"]["properties"],
        *DEFINITIONS["clause"]["properties"],
        *DEFINITIONS["sanitize"]["properties"],
        *DEFINITIONS["egress"]["properties"],
        *DEFINITIONS["approval"]["properties"],
        *DEFINITIONS["rate"]["properties"],
        *DEFINITIONS["sequence"]["properties"],
        *DEFINITIONS["step"]["properties"],
        *PER,
        *PRESETS,
        *STAGES,
        *VERDICTS,
        *OPERATORS,
        *_BUNDLE_WORDS,
        *["any", "all", "match", "no_match", "pre_tool_execution", "network", "allowlist", "domain"],
        *["transform", "matcher", "enabled", "timeout", "", "9a", "a b"],
    ]
)
_scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0, 1e12, 10**12]) | _words
_near = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=5),
    max_leaves=12,
)


@st.composite
def _objects(draw: st.DrawFn, name: str, definition: str | None) -> Any:
    """An object of the schema's own keys with values that mostly fit."""
    schema = json.loads(schema_text(name))
    schema = schema["$defs"][definition] if definition else schema
    keys = draw(st.sets(st.sampled_from([*schema.get("properties", {"x": {}}), "other"])))
    return {key: draw(_near) for key in sorted(keys)}


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("policy", "policy"),
        ("policy", "rule"),
        ("policy", "clause"),
        ("policy", "sanitize"),
        ("policy", "egress"),
        ("policy", "shell"),
        ("bundle", None),
        ("values", None),
    ],
)
@given(data=st.data())
def test_the_acceptor_says_what_jsonschema_says(
    name: str, definition: str | None, data: st.DataObject
) -> None:
    value = data.draw(_near | _objects(name, definition))
    found = shape(name, definition)
    assert found.accepts(value) == found.validator.is_valid(value)
