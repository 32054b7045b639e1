import pytest
from builders import clause, plan, rule

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call
from policyc.engine.operators import OPERATORS


def fires(op, value, argument, **changes):
    loaded = plan([rule(clauses=[clause("$.a", op, value, **changes)])])
    return Evaluator(loaded).decide(Call("t", {"a": argument})).verdict == "deny"


@pytest.mark.parametrize(
    ("op", "value", "argument", "expected"),
    [
        ("eq", 1, 1.0, True),
        ("eq", 1, "1", False),
        ("eq", 1, True, False),
        ("eq", True, 1, False),
        ("eq", True, True, True),
        ("eq", None, None, True),
        ("eq", None, False, False),
        ("eq", 0, False, False),
        ("eq", "x", ["x"], False),
        ("eq", 2**53 + 1, float(2**53), False),
        ("eq", 10**4000, 10**4000, True),
        ("eq", "\ufffd", "\ud800", True),
        ("contains", "DROP TABLE", "x; DROP TABLE y", True),
        ("contains", "", "", True),
        ("contains", "a", ["a"], False),
        ("regex", "(?i)drop", "DROP", True),
        ("regex", "^ls$", "ls\nrm", False),
        ("regex", "é+", "caféé", True),
        ("regex", "a", 1, False),
        ("regex", "x", "\ud800x", True),
        ("in", ["prod", 2, None, True], "prod", True),
        ("in", ["prod", 2, None, True], 2.0, True),
        ("in", ["prod", 2, None, True], None, True),
        ("in", ["prod", 2, None, True], True, True),
        ("in", ["prod", 2, None], True, False),
        ("in", [1], True, False),
        ("in", ["2"], 2, False),
        ("in", [], "x", False),
        ("in", ["x"], {"x": 1}, False),
        ("cidr_match", "10.0.0.0/8", "10.1.2.3", True),
        ("cidr_match", ["192.168.0.0/16", "10.0.0.0/8"], "10.1.2.3", True),
        ("cidr_match", "10.0.0.0/8", "::ffff:10.1.2.3", True),
        ("cidr_match", "10.0.0.0/8", 10, False),
        ("gt", 100000, 100001, True),
        ("gt", 100000, 100000, False),
        ("gt", 100000, "100001", False),
        ("gt", 0, True, False),
        ("gt", 1.5, 10**400, True),
        ("lt", 5, 4.999, True),
        ("lt", 5, float("nan"), False),
        ("gte", 5, 5, True),
        ("lte", 5, 5.0, True),
        ("lte", 5, 6, False),
        ("starts_with", "rm ", "rm -rf", True),
        ("starts_with", "rm ", None, False),
        ("ends_with", ".env", "a/.env", True),
        ("ends_with", ".env", "a/.envx", False),
        ("exists", True, None, True),
        ("exists", False, None, False),
    ],
)
def test_an_operator_on_one_value(op, value, argument, expected):
    assert fires(op, value, argument) is expected
    assert fires(op, value, argument, **{"not": True}) is not expected


@pytest.mark.parametrize(
    ("op", "value", "says"),
    [
        ("eq", [1], "not a list"),
        ("contains", 1, "not a number"),
        ("regex", "(?=a)", "lookahead"),
        ("regex", None, "not null"),
        ("in", "prod", "not a string"),
        ("in", [["a"]], "a list"),
        ("cidr_match", "10.0.0.0/99", "prefix length"),
        ("cidr_match", [], "at least one"),
        ("cidr_match", [1], "not a number"),
        ("gt", "5", "not a string"),
        ("lt", True, "not a bool"),
        ("exists", "yes", "not a string"),
        ("starts_with", {}, "not an object"),
    ],
)
def test_a_value_the_operator_cannot_use(op, value, says):
    assert says in OPERATORS[op].check(value)
