"""What is taken and what is refused is what google-re2 takes and refuses, in the same words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from regex_cases import pattern

from policyc.compiler.patterns import written_out
from policyc.engine.regex_errors import RegexError
from policyc.engine.regex_syntax import parse

regex_re2 = pytest.importorskip("policyc.engine.regex_re2")

PATTERNS = (Path(__file__).parents[1] / "cases" / "re2_syntax.txt").read_text("utf-8").splitlines()


def said_by_re2(source):
    try:
        regex_re2.compile_regex(source)
    except RegexError as error:
        return str(error)
    return None


def said(source):
    try:
        parse(written_out(source))
    except RegexError as error:
        return str(error)
    return None


@pytest.mark.parametrize("source", PATTERNS)
def test_the_table(source):
    assert said(source) == said_by_re2(source)


@given(st.randoms(use_true_random=False))
def test_made_up_patterns(random):
    source = pattern(random, odd=True)
    assert said(source) == said_by_re2(source)


@given(st.text(r"ab\(){}[]^$|?*+-:<>=!PpQEixsdzb0159,.&é", max_size=12))
def test_any_text(source):
    if "\\C" not in source:
        assert said(source) == said_by_re2(source)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (r"\p{Greek}", r"\p{Greek}"),
        (r"[a\PN]", r"\PN"),
        ("(?i)é", "(?i) on é"),
        ("(?i)[à-þ]", "(?i) on à-þ"),
        ("(?P<né>a)", "é in the name of a group"),
    ],
)
def test_what_needs_tables_is_refused_and_never_guessed(source, what):
    with pytest.raises(RegexError, match="needs Unicode tables") as refused:
        parse(source)
    assert str(refused.value).startswith(what)
    assert parse(written_out(source))


@pytest.mark.parametrize("source", ["(?:[a-f]{900}|x){1}" * 60, "(a" * 300 + ")" * 300])
def test_a_pattern_too_large_is_refused(source):
    with pytest.raises(RegexError, match="pattern too large"):
        parse(source)


def test_groups_that_hold_one_thing_may_be_as_deep_as_one_likes():
    assert parse("(" * 50_000 + "a" + ")" * 50_000)
