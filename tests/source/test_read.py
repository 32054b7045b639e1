"""Files to documents: values, places, and the choice between JSON and YAML."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.source.nodes import Document
from policyc.source.read import read_document

#: A byte order mark, and the characters that reorder text: the reader takes them as escapes only.
UNREADABLE = "\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Cn"], exclude_characters=UNREADABLE)
    ),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc ~*&!", max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)


def read(text: str, path: str = "policies/a.yaml") -> tuple[Document | None, list[str]]:
    document, findings = read_document(path, text.encode())
    return document, [found.code for found in findings.diagnostics]


def root(text: str) -> Any:
    document, codes = read(text)
    assert document is not None
    assert codes == []
    return document.root


@given(json_values)
def test_json_reads_as_json(value: Any) -> None:
    assert root(json.dumps([value])) == [value]
    assert root(json.dumps({"a": value}, ensure_ascii=False, indent=2)) == {"a": value}


@given(st.lists(json_values, max_size=3))
def test_json_and_yaml_agree_on_values_and_places(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    as_json, _ = read(text)
    as_yaml, codes = read("---\n" + text)
    if codes == []:
        assert as_json is not None
        assert as_yaml is not None
        assert as_json.root == as_yaml.root
        for number in range(len(value)):
            line, column = as_json.place_of((number,))
            assert as_yaml.place_of((number,)) == (line + 1, column)


def test_places_are_those_of_keys_and_values() -> None:
    document, _ = read("rules:\n  - priority: 5\n    label: 'é: x'\n  - {priority: 6, label: b}\n")
    assert document is not None
    assert document.place_of(()) == (1, 1)
    assert document.place_of(("rules",)) == (2, 3)
    assert document.place_of(("rules", 0)) == (2, 5)
    assert document.place_of(("rules", 0, "label")) == (3, 12)
    assert document.place_of(("rules", 0, "label"), key=True) == (3, 5)
    assert document.place_of(("rules", 1, "label")) == (4, 26)
    assert document.place_of(("rules", 1, "verdict")) == (4, 5)


def test_places_in_json_count_characters() -> None:
    document, _ = read('[\r\n  {"é😀": 1, "b": [true,\n null]}\n]')
    assert document is not None
    assert document.place_of((0, "é😀"), key=True) == (2, 4)
    assert document.place_of((0, "b")) == (2, 18)
    assert document.place_of((0, "b", 1)) == (3, 2)


def test_an_alias_is_the_same_value_at_its_own_place() -> None:
    document, codes = read("a: &x [1, 2]\nb: *x\nc: &y text\nd: *y\n*y : e\n")
    assert document is not None
    assert codes == []
    assert document.root == {"a": [1, 2], "b": [1, 2], "c": "text", "d": "text", "text": "e"}
    assert document.place_of(("b",)) == (2, 4)
    assert document.place_of(("b", 1)) == (1, 11)


@pytest.mark.parametrize(
    "text",
    ['\ufeff[{"a": 1}]', "\ufeff- a: 1", '[{"a": 1}]\n', "- a: 1\r\n", "%YAML 1.2\n---\n- a: 1\n...\n"],
)
def test_byte_order_marks_line_ends_and_directives(text: str) -> None:
    assert root(text) == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'["\ud83d\ude00"]', ["😀"]),
        ('["a", "b",]', ["a", "b"]),
        ("{a: 1}", {"a": 1}),
        ("[a, 'b']", ["a", "b"]),
        ("[NaN, Infinity]", ["NaN", "Infinity"]),
        ("[01]", [1]),
        ("[1] # comment", [1]),
        ("{}", {}),
        (' \n\t["a"]', ["a"]),
    ],
)
def test_flow_text_is_json_where_it_is_json_and_yaml_where_it_is_not(text: str, value: object) -> None:
    assert root(text) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('["a" "b"]', "syntax_error"),
        ('["a"', "syntax_error"),
        ('["a\\x"]', "syntax_error"),
        ('["a\nb"]', None),
        ("[1] [2]", "syntax_error"),
        ('{"a" 1}', "syntax_error"),
        ("", "empty_file"),
        ("\n# comment\n", "empty_file"),
        ("---\n", "empty_file"),
        ("~", None),
        ("&a", "empty_file"),
        ("- &a x\n- *a\n- *b", "unknown_alias"),
        ("!!map {}", "explicit_tag"),
        ("! a", "explicit_tag"),
        ("%TAG ! tag:x:\n--- !a b", "explicit_tag"),
        ("a: 1\n--- \nb: 2\n---\nc: 3\n", "several_documents"),
        ("a: 1\n...\n", None),
        ("a: 1\n---\n", "several_documents"),
        ("? [a]\n: b", "key_not_text"),
        ("? {a: b}\n: c", "key_not_text"),
        ("~: 1", "key_not_text"),
        ("'1': 1", None),
        ("? a", None),
        ("&x a: *x", None),
        ("{<<: 1}", "merge_key"),
        ("{'<<': 1}", None),
        ("[<<]", None),
        ("a: 1\n'a': 2", "duplicate_key"),
    ],
)
def test_what_is_reported(text: str, code: str | None) -> None:
    assert read(text)[1] == ([] if code is None else [code])


def test_a_json_file_that_is_neither_gets_the_json_error() -> None:
    _, findings = read_document("policies/a.json", b'[\n  {"a": 1},,\n]')
    [found] = findings.diagnostics
    assert (found.code, found.line, found.column) == ("syntax_error", 2, 12)
    assert "JSON" in found.message


def test_the_first_of_two_equal_keys_counts() -> None:
    document, _ = read('{"a": 1, "a": 2}')
    assert document is not None
    assert document.root == {"a": 1}
