"""JSONPath to steps: what is taken, what is refused, and that the steps select what jsonpath-ng selects."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import jsonpath_ng
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.compiler.jsonpath import JSONPathError, compile_path
from policyc.engine.paths import check_steps, select


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("$", []),
        ("$.a", [["field", "a"]]),
        ("$.a.b-c", [["field", "a"], ["field", "b-c"]]),
        ("$['a b']", [["field", "a b"]]),
        ('$["it\'s"].x', [["field", "it's"], ["field", "x"]]),
        ("$['*']", [["field", "*"]]),
        ("$['a.b|c']", [["field", "a.b|c"]]),
        ("$['é']", [["field", "é"]]),
        ("$['']", [["field", ""]]),
        ("$['a','b']", [["fields", ["a", "b"]]]),
        ("$.a[0]", [["field", "a"], ["index", 0]]),
        ("$[-1]", [["index", -1]]),
        ("$[0,2]", [["indexes", [0, 2]]]),
        ("$[1:3]", [["slice", 1, 3, None]]),
        ("$[::2]", [["slice", None, None, 2]]),
        ("$.*", [["wildcard"]]),
        ("$[*].a", [["wildcard"], ["field", "a"]]),
        ("$..a", [["descent"], ["field", "a"]]),
        ("$.a..b[0]", [["field", "a"], ["descent"], ["field", "b"], ["index", 0]]),
    ],
)
def test_it_is_taken(path: str, steps: list[Any]) -> None:
    assert compile_path(path) == steps
    check_steps(steps)


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("", "write `$`"),
        ("a.b", "write `$.a.b`"),
        (".a", "write `$.a`"),
        ("@.a", "write `$.a`"),
        ("($.a)", None),
        ("$.", "dot at the end"),
        ("$..", "dot at the end"),
        ("$$", None),
        ("$.a.$.b", "at the start only"),
        ("$.a|$.b", "unions"),
        ("$.a & $.b", "unions"),
        ("$.`this`", "named operators"),
        ("$.a.`parent`", "named operators"),
        ("$.a where $.b", "where"),
        ("$.a wherenot b", "where"),
        ("$.where", "$['where']"),
        ("$.a[?(@.b == 1)]", "filters"),
        ("$.a[(@.length-1)]", "scripts"),
        ("$.größe", "$['größe']"),
        ("$.a b", "$['a b']"),
        ("$[]", "[*]"),
        ("$[::0]", None),
        ("$[99999999999]", None),
        ("$[" + "9" * 450 + "]", None),
        ("$" + ".a" * 1000, None),
        ("$['a", None),
        ("$.a\n.b|c", "unions"),
        ("$.a~", None),
    ],
)
def test_it_is_refused_with_a_hint(path: str, hint: str | None) -> None:
    with pytest.raises(JSONPathError) as refused:
        compile_path(path)
    assert hint is None or (refused.value.hint is not None and hint in refused.value.hint)


def test_an_error_is_the_same_the_second_time() -> None:
    for _ in range(2):
        with pytest.raises(JSONPathError, match="does not start"):
            compile_path("amount")


@given(st.text("$.[]'\"*ab0:-,@?()|&~ `\\é\n", max_size=12))
def test_any_text_is_taken_or_refused(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with contextlib.suppress(JSONPathError):
            check_steps(compile_path("$" + text))


_fields = st.sampled_from(["a", "b", "a b"])
_step = st.one_of(
    _fields.map(lambda name: f"['{name}']"),
    st.integers(-2, 2).map(lambda index: f"[{index}]"),
    st.sampled_from(["[0:2]", "[::2]", "['a','b']", "..a"]),
)
_documents = st.recursive(
    st.integers(0, 9) | st.text("xy", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_fields, inner, max_size=3),
    max_leaves=15,
)


@given(st.lists(_step, max_size=4), _documents)
def test_the_steps_select_what_jsonpath_ng_selects(path: list[str], document: Any) -> None:
    """But for scalars as lists of one, which jsonpath-ng does for indexes and slices."""
    text = "$" + "".join(path)
    found = select(compile_path(text), document)
    try:
        theirs = [match.value for match in jsonpath_ng.parse(text).find(document)]
    except (TypeError, KeyError, IndexError):
        return
    if not any(step.startswith("[") and "'" not in step for step in path):
        assert sorted(map(repr, found)) == sorted(map(repr, theirs))
    else:
        assert all(any(value is other for other in theirs) or value in theirs for value in found)
