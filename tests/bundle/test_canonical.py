from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.bundle.canonical import dump, is_structured, parse, read_contents, read_structured, sha256
from policyc.bundle.errors import BundleError

from . import opa_oracle
from .crafting import refusal

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(TEXT, children, max_size=4),
    max_leaves=12,
)
NUMBERS = ["1", "1.0", "1e3", "1E+3", "-0", "0.10", "123456789012345678901234567890", "1.5e-7", "-2.50"]


def spelled(value: Any, rng: random.Random) -> str:
    """The value as JSON text with white space, key order, escapes and number forms chosen by chance."""

    def space() -> str:
        return rng.choice(["", "", " ", "\n\t", "\r\n"])

    if isinstance(value, dict):
        items = list(value.items())
        rng.shuffle(items)
        inner = ",".join(f"{space()}{spelled(k, rng)}{space()}:{space()}{spelled(v, rng)}" for k, v in items)
        return "{" + inner + space() + "}"
    if isinstance(value, list):
        return "[" + ",".join(space() + spelled(item, rng) for item in value) + space() + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=rng.random() < 0.5)
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.5:
        return rng.choice(NUMBERS)
    return json.dumps(value)


def canonical(text: str) -> str:
    return read_structured("data.json", text.encode("utf-8")).canonical.decode("utf-8")


def test_the_vector_of_opa() -> None:
    text = '{"revision":"rev-1","roots":["authz","roles"],"rego_version":1,"metadata":{"k":"v"}}'
    assert canonical(text) == (
        '{"metadata":{"k":"v"},"rego_version":1,"revision":"rev-1","roots":["authz","roles"]}'
    )
    hashes = read_contents({".manifest": text.encode()}).hashes
    assert hashes == {".manifest": "29abdcea88a7f195a62d41f9b3e40748c1b2561faad05f13c60b1a63d640093e"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"b":1,"a":2}', '{"a":2,"b":1}'),
        (" [ 1 , 2 ] ", "[1,2]"),
        ('{"a":1.0}', '{"a":1.0}'),
        ('{"a":1e3}', '{"a":1e3}'),
        ("-0", "-0"),
        ("0.10", "0.10"),
        ("1E+22", "1E+22"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('"<b>&\\u003c/\\/"', '"<b>&<//"'),
        ('"\u2028\u2029"', '"\\u2028\\u2029"'),
        ('"\\u2028"', '"\\u2028"'),
        ('"\\u0001\\u001F\\b\\f\\n\\r\\t\\"\\\\"', '"\\u0001\\u001f\\b\\f\\n\\r\\t\\"\\\\"'),
        ('"\\u007f\x7f"', '"\x7f\x7f"'),
        ('"\\u00e9\\ud83d\\ude00"', '"é😀"'),
        ('{"\U00010000":1,"\uffff":2}', '{"\uffff":2,"\U00010000":1}'),  # by UTF-8 bytes, not UTF-16 units
        ('{"B":1,"a":2,"":3}', '{"":3,"B":1,"a":2}'),
        ("true", "true"),
        ("null", "null"),
        ("{}", "{}"),
        ("[]", "[]"),
    ],
)
def test_spelling(text: str, expected: str) -> None:
    assert canonical(text) == expected


@given(VALUES, st.randoms(use_true_random=False))
def test_agrees_with_the_oracle_on_any_spelling(value: Any, rng: random.Random) -> None:
    text = spelled(value, rng)
    assert canonical(text) == opa_oracle.canonical(text)


@given(VALUES)
def test_what_is_dumped_is_its_own_canonical_text(value: Any) -> None:
    content = dump(value)
    assert read_structured("data.json", content) == (value, content)
    assert opa_oracle.canonical(content.decode("utf-8")).encode("utf-8") == content


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {"\udfff": 1}, {1, 2}, b"x"])
def test_what_json_cannot_hold_is_not_dumped(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        dump(value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"{}x",
        b"{'a':1}",
        b"[1,]",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b"01",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'"\\ud800"',
        b'"\x01"',
        b"9" * 5000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_not_strict_json_is_refused(content: bytes) -> None:
    with pytest.raises(BundleError) as caught:
        parse("data.json", content)
    assert refusal(caught.value) == "json_invalid"


@pytest.mark.parametrize("text", ['{"a":1,"a":1}', '{"x":[{"b":1,"a":2,"\\u0062":3}]}', '{"a":{},"a":{}}'])
def test_duplicate_keys_are_refused(text: str) -> None:
    with pytest.raises(BundleError) as caught:
        parse(".manifest", text.encode())
    assert refusal(caught.value) == "duplicate_key"
    assert '".manifest" has the key' in caught.value.message


def test_only_data_and_manifest_are_hashed_by_content() -> None:
    assert is_structured(".manifest")
    assert is_structured("policyc/payments/data.json")
    for path in ("data.yml", "hooks.json", "sources/bundle.yaml", "x.manifest", "mydata.json"):
        assert not is_structured(path)
    contents = read_contents({"a.json": b'{ "b": 1 }', ".signatures.json": b"{}", ".manifest": b'{ "b": 1 }'})
    assert contents.hashes == {"a.json": sha256(b'{ "b": 1 }'), ".manifest": sha256(b'{"b":1}')}
    assert contents.values == {".manifest": {"b": 1}}
