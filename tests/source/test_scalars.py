"""Plain scalars: the table of YAML 1.2.2, chapter 10.3.2, and what YAML 1.1 would make of them."""

from __future__ import annotations

import pytest

from policyc.source.scalars import MAX_DIGITS, ScalarError, resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("true", True),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("false", False),
        ("yes", "yes"),
        ("NO", "NO"),
        ("on", "on"),
        ("y", "y"),
        ("0", 0),
        ("-19", -19),
        ("+12", 12),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("0b101", "0b101"),
        ("-0x1F", "-0x1F"),
        ("0x", "0x"),
        ("1_000", "1_000"),
        ("1:20", "1:20"),
        ("2001-01-01", "2001-01-01"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("-1e3", -1000.0),
        ("12e03", 12000.0),
        ("1e", "1e"),
        (".", "."),
        ("-", "-"),
        ("+", "+"),
        ("1.2.3", "1.2.3"),
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("=", "="),
        ("<<", "<<"),
        ("１２", "１２"),
        ("inf", "inf"),
        ("nan", "nan"),
    ],
)
def test_a_plain_scalar_is_what_yaml_1_2_says(text: str, value: object) -> None:
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "1e999", "-1e999"])
def test_a_number_is_finite(text: str) -> None:
    with pytest.raises(ScalarError) as refused:
        resolve(text)
    assert refused.value.code == "not_finite"


def test_integers_are_exact_up_to_a_bound() -> None:
    assert resolve("9" * MAX_DIGITS) == 10**MAX_DIGITS - 1
    assert resolve("0" * 9000 + "7") == 7
    for text in ("1" + "0" * MAX_DIGITS, "-1" + "0" * MAX_DIGITS, "0x" + "f" * MAX_DIGITS):
        with pytest.raises(ScalarError) as refused:
            resolve(text)
        assert refused.value.code == "number_too_long"
