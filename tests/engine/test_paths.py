import pytest
from builders import steps

from policyc.engine.paths import MISSING, PathError, check_steps, compile_singular, is_singular, select

DOCUMENT = {"a": {"b": [1, 2, {"c": 3}]}, "x y": 4, "n": None, "items": [{"sku": "p"}, {"sku": "q"}, 7]}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$", [DOCUMENT]),
        ("$.a.b[1]", [2]),
        ("$.a.b[-1].c", [3]),
        ("$.a.b[9]", []),
        ("$.a.b[-9]", []),
        ("$.a[0]", []),
        ("$['x y']", [4]),
        ("$.n", [None]),
        ("$.n.x", []),
        ("$.items[*].sku", ["p", "q"]),
        ("$.a.*", [[1, 2, {"c": 3}]]),
        ("$..c", [3]),
        ("$..sku", ["p", "q"]),
        ("$.missing", []),
    ],
)
def test_selection(path, expected):
    assert select(steps(path), DOCUMENT) == expected


def test_slices_and_unions():
    assert select([["field", "a"], ["field", "b"], ["slice", 0, 2, None]], DOCUMENT) == [1, 2]
    assert select([["slice", None, None, -1]], [1, 2]) == [2, 1]
    assert select([["slice", 0, 1, None]], {"not": "a list"}) == []
    assert select([["fields", ["n", "x y", "no"]]], DOCUMENT) == [None, 4]
    assert select([["indexes", [0, 5, -1]]], [1, 2]) == [1, 2]


@pytest.mark.parametrize(
    "path", ["$", "$.a", "$.a.b", "$.a.b[1]", "$.a.b[-1].c", "$.n.x", "$.a[0]", "$.missing.b"]
)
def test_the_getter_of_a_singular_path_agrees(path):
    assert is_singular(steps(path))
    value = compile_singular(steps(path))(DOCUMENT)
    assert ([] if value is MISSING else [value]) == select(steps(path), DOCUMENT)


def test_descent_has_no_depth_limit():
    deep = leaf = {}
    for _ in range(100_000):
        leaf["a"] = {}
        leaf = leaf["a"]
    leaf["found"] = 1
    assert select(steps("$..found"), deep) == [1]
    while deep:  # CPython frees a nested dict recursively; take it apart instead
        deep = deep.get("a", {})


def test_repeated_descent_does_not_multiply():
    nested = 1
    for _ in range(100):
        nested = {"a": nested, "b": [nested, nested] if nested == 1 else 2}
    # Each descent alone would multiply the values by the depth: a million million of them.
    assert len(select(steps("$..*..*..*..*..*..*"), nested)) < 1_000


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [["field"]],
        [["field", 1]],
        [["index", True]],
        [["index", "a"]],
        [["nope"]],
        [[]],
        ["field"],
        [["slice", 0, 1]],
        [["slice", 0, 1, 0]],
        [["fields", "a"]],
        [[["field"], "a"]],
    ],
)
def test_unknown_steps_are_refused(bad):
    with pytest.raises(PathError):
        check_steps(bad)
