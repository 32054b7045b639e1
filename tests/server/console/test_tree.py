"""JSON as a tree: everything up to the bounds, and a word about what is beyond."""

from __future__ import annotations

import json
from typing import Any

import pytest
from policyc_server.console.tree import DEEPEST, MOST, Node, tree


def flat(node: Node) -> list[Node]:
    return [node, *(found for child in node.children for found in flat(child))]


def test_values_keep_their_kind() -> None:
    root = tree({"a": [1, True, None, "x"], "b": {}})
    assert [(node.key, node.kind, node.lines) for node in flat(root)] == [
        (None, "object", ()),
        ("a", "list", ()),
        ("0", "number", ("1",)),
        ("1", "flag", ("true",)),
        ("2", "null", ("null",)),
        ("3", "text", ("x",)),
        ("b", "object", ()),
    ]


def test_lines_stay_lines() -> None:
    assert tree("a\n\nb").lines == ("a", "", "b")


def test_a_wide_value_is_cut_and_counted() -> None:
    shown = flat(tree(list(range(MOST * 3))))
    assert len(shown) == MOST + 1
    assert shown[-1].kind == "more"
    assert shown[-1].lines == (f"{MOST * 3 - (MOST - 1):,} more, not shown",)


def test_a_deep_value_is_cut() -> None:
    value: Any = "bottom"
    for _ in range(200):
        value = [value]
    shown = flat(tree(value))
    assert (len(shown), shown[-1].kind) == (DEEPEST + 2, "more")


def test_a_long_text_is_cut_and_counted() -> None:
    lines = tree("x" * 50_000).lines
    assert lines[-1] == "… 30,000 more characters"


@pytest.mark.parametrize(
    ("value", "cut"),
    [
        ({"a": [1, {"b": "x" * 20_000}]}, False),
        ({"a": [1, {"b": "x" * 20_001}]}, True),
        ({"a": list(range(MOST))}, True),
        (json.loads("[" * DEEPEST + "]" * DEEPEST), False),
        (json.loads("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2)), True),
    ],
)
def test_what_is_cut_says_so_at_the_top(value: object, cut: bool) -> None:
    assert tree(value).is_cut is cut
