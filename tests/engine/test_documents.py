import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.documents import MAX_DEPTH, Malformed, parse

MALFORMED = [
    ("", "empty"),
    ("  \n", "empty"),
    ("{", "invalid_json"),
    ("{}{}", "invalid_json"),
    ("{'a': 1}", "invalid_json"),
    ("\x00", "invalid_json"),
    ('{"a": NaN}', "not_a_number"),
    ('{"a": -Infinity}', "not_a_number"),
    ('{"a": 1e999}', "number_out_of_range"),
    ('{"a": ' + "9" * 4301 + "}", "number_out_of_range"),
    ('{"a": 1, "a": 1}', "duplicate_key"),
    ('{"x": [{"b": 1, "b": 2}]}', "duplicate_key"),
    ('{"\\ud800": 1, "\\ud801": 2}', "duplicate_key"),
    ("[" * 200 + "]" * 200, "too_deep"),
    ("[" * 200_000, "too_deep"),
    (b'"\xff"', "not_utf8"),
    (b"\xff\xfe{\x00}\x00", "not_utf8"),
]


@pytest.mark.parametrize(
    ("text", "code"), MALFORMED, ids=[f"{code}-{n}" for n, (_, code) in enumerate(MALFORMED)]
)
def test_malformed_text_is_refused_by_name(text, code):
    with pytest.raises(Malformed) as refused:
        parse(text)
    assert refused.value.code == code


def test_integers_are_exact():
    digits = "9" * 4300
    assert parse(f"[{digits}, -{digits}, 18446744073709551617]") == [int(digits), -int(digits), 2**64 + 1]


def test_a_byte_order_mark_is_dropped():
    assert parse(b"\xef\xbb\xbf{}") == {}
    assert parse("\ufeff[]") == []


def test_lone_surrogates_become_the_replacement_character():
    assert parse('{"\\ud800": "a\\udfffb", "ok": "\\ud83d\\ude00"}') == {
        "\ufffd": "a\ufffdb",
        "ok": "\U0001f600",
    }


def test_the_deepest_document():
    assert parse("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(Malformed):
        parse("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


@given(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.text(),
        ),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    )
)
def test_well_formed_json_is_read_as_it_is(value):
    assert parse(json.dumps(value)) == value
    assert parse(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.one_of(st.text(), st.binary()))
def test_anything_is_read_or_refused(text):
    with contextlib.suppress(Malformed):
        parse(text)
