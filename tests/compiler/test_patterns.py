import json

import pytest

from policyc.compiler import unicode
from policyc.compiler.literals import with_literals
from policyc.compiler.patterns import pattern_problem, written_out, written_value
from policyc.engine.regex_pure import Pattern


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (r"(?i)rm\s+[^a-k]\W", r"(?i)rm\s+[^a-k]\W"),
        ("é+", "é+"),
        (r"\p{Ogham}x", r"(?-i:[\x{1680}-\x{169c}])x"),
        (r"[\p{Ogham}a]", r"(?-i:[\x{61}\x{1680}-\x{169c}])"),
        ("(?i)é+b", r"(?i)(?-i:[\x{c9}\x{e9}])+b"),
        (r"(?i)\Q.é*\E*", r"(?i)\Q.\E(?-i:[\x{c9}\x{e9}])\Q*\E*"),
        ("(?P<é>a)", "(a)"),
        (r"(?i)\x{df}", r"(?i)(?-i:[\x{df}\x{1e9e}])"),
        (r"\P{Any}\pN*|[^\P{Nd}]", None),
    ],
)
def test_what_is_written(source, written):
    found = written_out(source)
    assert written is None or found == written
    assert written_out(found) == found
    assert pattern_problem(source) is None
    Pattern(found)


@pytest.mark.parametrize("source", [r"\p{Foo}", "(?i)é(", "(?P<é->a)", r"\C", "a{1001}"])
def test_what_is_refused(source):
    assert pattern_problem(source)


def test_every_place_of_a_pattern():
    greek = r"\p{Greek}"
    written = written_out(greek)
    assert written_value("regex", greek) == written
    assert written_value("eq", greek) == greek
    assert written_value("shell", {"program": greek, "code": [greek]}) == {
        "program": greek,
        "code": [written],
    }


def test_the_literals_of_a_rule():
    rule = {
        "sanitize": {"custom": ["tok-[0-9]+"]},
        "clauses": [
            {"op": "regex", "value": "(?i)DROP"},
            {"op": "shell", "value": {"code": ["rmtree|unlink", "."]}},
            {"op": "eq", "value": "x"},
        ],
    }
    found = with_literals(rule)
    assert json.loads(json.dumps(found)) == found
    assert found["literals"] == {
        "tok-[0-9]+": {"folded": False, "texts": ["tok-"]},
        "(?i)DROP": {"folded": True, "texts": ["drop"]},
        "rmtree|unlink": {"folded": False, "texts": ["rmtree", "unlink"]},
        ".": {"folded": False, "texts": [""]},
    }


@pytest.mark.parametrize("name", ["L", "Greek", "Lu", "Zs", "Han", "Cc"])
def test_the_groups_are_those_of_the_installed_re2(name):
    pytest.importorskip("re2")
    assert unicode._table()["groups"][name] == unicode.ask_group(name)


@pytest.mark.slow
def test_the_table_is_that_of_the_installed_re2():
    pytest.importorskip("re2")
    table = unicode._table()
    assert table["cases"] == unicode.ask_cases()
    assert table["groups"] == {name: unicode.ask_group(name) for name in table["groups"]}
