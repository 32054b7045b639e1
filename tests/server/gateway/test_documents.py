"""Arguments and answers that two readers could read as two things."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.gateway.documents import arguments_of, check_rest, read_answer, write_answer
from policyc_server.gateway.vendors.vendor import ToolCall, Unreadable

from policyc.engine.documents import Malformed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=3))
def test_what_is_written_is_read_again(document: dict[str, object]) -> None:
    assert read_answer(write_answer(document)) == document
    assert arguments_of(json.dumps(document)) == document
    assert arguments_of(document) == document


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"b": {"a": 1, "a": 2}}', "duplicate_key"),
        ('{"a": NaN}', "number_out_of_range"),
        ('{"a": [1e999]}', "number_out_of_range"),
        ('{"a": ' + "9" * 5000 + "}", "number_out_of_range"),
        ('{"a":' * 140 + "1" + "}" * 140, "too_deep"),
    ],
)
def test_a_fault_in_the_arguments_is_that_of_the_call(inside: str, code: str) -> None:
    document = read_answer(f'{{"text": "x", "input": {inside}}}'.encode())
    found = arguments_of(document["input"])
    assert isinstance(found, Malformed)
    assert found.code == code
    check_rest(document, [ToolCall(0, "a", document["input"])])


def test_a_fault_elsewhere_is_that_of_the_answer() -> None:
    document = read_answer(b'{"text": "x", "text": "y", "input": {}}')
    with pytest.raises(Unreadable):
        check_rest(document, [ToolCall(0, "a", document["input"])])


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"a": "\\ud800", "a": 1}', b"[" * 100_000])
def test_what_is_no_document_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read_answer(body)


def test_nothing_to_read_is_not_nothing_sent() -> None:
    assert isinstance(arguments_of(None), Malformed)
    assert arguments_of("") == {}
