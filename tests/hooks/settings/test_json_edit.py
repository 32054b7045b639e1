"""Edits of a settings file: the rest keeps its characters."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.hooks.settings.json_edit import rewritten, written
from policyc.hooks.settings.json_text import NotSettings, parse

CASES = [
    ('{"a": 1}', {"a": 1, "b": 2}, '{"a": 1, "b": 2}'),
    ("{}", {"a": [1]}, '{\n  "a": [\n    1\n  ]\n}'),
    ('{\n    "a": 1\n}\n', {"a": 1, "b": {"c": 2}}, '{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}\n'),
    ('{\r\n\t"a": 1\r\n}', {"a": 1, "b": 2}, '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}'),
    ('{\n  "a": 1 // one\n}', {"a": 1, "b": 2}, '{\n  "a": 1, // one\n  "b": 2\n}'),
    ('{\n  "a": 1, // one\n}', {"a": 1, "b": 2}, '{\n  "a": 1, // one\n  "b": 2,\n}'),
    ('{"a": [1, 2, 3]}', {"a": [1, 3]}, '{"a": [1, 3]}'),
    ('{"a": [1, 2, 3]}', {"a": [1, 2]}, '{"a": [1, 2]}'),
    ('{"a": [1, 3]}', {"a": [1, 2, 3]}, '{"a": [1, 2, 3]}'),
    ('{"a": [1,   3.0e0], "b":"\\u00e9"}', {"a": [1, 3.0], "b": "x"}, '{"a": [1,   3.0e0], "b":"x"}'),
    ('{"a": 1, "b": 2}', {"b": 2}, '{"b": 2}'),
    ('{"a": 1, "b": 2}', {}, "{}"),
    ('{"a": 1, "b": 2}', {"a": 1, "c": 3}, '{"a": 1, "c": 3}'),
    ('{"u": "https://x", "a": 1}', {"a": 1}, '{"a": 1}'),
    ('{"a": 1}', {"a": True}, '{"a": true}'),
]


@pytest.mark.parametrize(("text", "new", "result"), CASES)
def test_only_what_changes_is_written(text, new, result):
    assert rewritten(text, new) == result


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ('{"a": 1, /* why */ "b": 2}', {"b": 2}),
        ('{"a": [1 // why\n]}', {"a": []}),
        ('{"a": {/* why */}}', {"a": 1}),
    ],
)
def test_a_comment_is_never_lost(text, new):
    with pytest.raises(NotSettings, match="comment"):
        rewritten(text, new)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1, column 1: a value"),
        ('{"a": 1', "`,` or `}`"),
        ('{"a": 1} x', "the document ended"),
        ('{"a": 1, "a": 2}', 'the key "a" is there twice'),
        ('{\n  "a" 1}', "line 2, column 7: `:`"),
        ("{'a': 1}", "a key in double quotes"),
        ('{"a": NaN}', "a value"),
        ("[" * 200, "nested"),
        ('"\\x"', "not a JSON string"),
    ],
)
def test_a_damaged_document_says_where(text, why):
    with pytest.raises(NotSettings) as error:
        parse(text)
    assert why in str(error.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES, st.sampled_from([None, 2, 4]))
def test_the_result_is_the_new_value(old, new, indent):
    text = json.dumps(old, indent=indent)
    assert json.loads(rewritten(text, new)) == new
    assert rewritten(text, old) == text


@given(VALUES)
def test_parsing_agrees_with_json(value):
    assert parse(written(value)).value == value
