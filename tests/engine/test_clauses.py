import pytest
from builders import clause, plan, rule

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call
from policyc.engine.walk import decide

MANY = {"items": [{"sku": "a"}, {"sku": "b"}]}


def fires(args, *clauses):
    loaded = plan([rule(clauses=list(clauses))])
    call = Call("t", args)
    fast = Evaluator(loaded).decide(call).verdict == "deny"
    assert fast is (decide(loaded.policies["p"], call).verdict == "deny")
    return fast


@pytest.mark.parametrize("op", ["eq", "regex", "contains", "starts_with"])
def test_a_path_that_selects_nothing_is_false_unless_it_says_otherwise(op):
    assert not fires({}, clause("$.a", op, "x"))
    assert not fires({}, clause("$.a", op, "x", **{"not": True}))
    assert fires({}, clause("$.a", op, "x", on_missing="match"))
    assert fires({"b": []}, clause("$.b[*]", op, "x", on_missing="match"))
    assert not fires({"a": "y"}, clause("$.a", op, "x", on_missing="match"))


def test_exists_asks_about_the_selection():
    assert fires({}, clause("$.a", "exists", False))
    assert fires({}, clause("$.a", "exists", True, **{"not": True}))
    assert not fires({"a": None}, clause("$.a", "exists", False))
    assert fires(MANY, clause("$.items[*].sku", "exists", True))
    assert fires(MANY, clause("$.items[*].price", "exists", False))


@pytest.mark.parametrize("op", ["eq", "regex"])
def test_any_and_all_of_several_values(op):
    path = "$.items[*].sku"
    assert fires(MANY, clause(path, op, "b", match="any"))
    assert not fires(MANY, clause(path, op, "b", match="all"))
    # `not` comes before the quantifier: "all are not b" is false, "some is not b" is true.
    assert not fires(MANY, clause(path, op, "b", match="all", **{"not": True}))
    assert fires(MANY, clause(path, op, "b", match="any", **{"not": True}))


def test_clauses_are_anded():
    a, b, c = clause("$.a", "eq", 1), clause("$.b", "regex", "2"), clause("$.c", "lt", 3)
    assert fires({"a": 1, "b": "2", "c": 2}, a, b, c)
    assert not fires({"a": 1, "b": "2", "c": 3}, a, b, c)
    assert not fires({"a": 1, "b": "3"}, a, b)
    assert fires({}, *[])


def test_regexes_on_one_path_share_a_scan_and_keep_their_order():
    many = [
        rule(label=f"r{n}", priority=n, clauses=[clause("$.a", "regex", f"^x{n}$")], reason_code=str(n))
        for n in range(200)
    ]
    loaded = plan(many)
    evaluator = Evaluator(loaded)
    for n in (0, 63, 64, 65, 127, 128, 199):
        assert evaluator.decide(Call("t", {"a": f"x{n}"})).rule == f"r{n}"
    assert evaluator.decide(Call("t", {"a": "x200"})).rule is None
    assert evaluator.decide(Call("t", {"a": 5})).rule is None
    assert evaluator.decide(Call("t", {})).rule is None
