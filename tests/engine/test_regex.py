import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine import regex
from policyc.engine.regex import PatternSet, RegexError, RegexUnavailable, compile_regex, escape


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("a(?=b)", "a lookahead (?=...)"),
        ("a(?!b)", "a negative lookahead"),
        ("(?<=a)b", "a lookbehind"),
        ("(?<!a)b", "a negative lookbehind"),
        (r"(a)\1", r"a backreference \1"),
        (r"(?P<x>a)(?P=x)", "a named backreference"),
        ("(?>a)", "an atomic group"),
        ("a++", "a possessive quantifier"),
        (r"a\Z", r"write \z"),
        ("*_file", "no argument for repetition operator"),
        ("(", "missing )"),
        ("[a", "missing ]"),
        ("a{1001}", "invalid repetition size"),
        ("\ud800", "lone surrogate"),
    ],
)
def test_what_re2_refuses_is_named(pattern, says, capfd):
    with pytest.raises(RegexError) as refused:
        compile_regex(pattern)
    assert says in str(refused.value)
    assert capfd.readouterr() == ("", "")


@given(st.text(max_size=12), st.text(max_size=4), st.text(max_size=4))
def test_an_escaped_text_matches_itself_alone(text, before, after):
    text = text.encode("utf-8", "replace").decode()
    assert compile_regex(escape(text)).fullmatch(text)
    assert compile_regex(escape(text)).search(before + text + after)
    if before:
        assert not compile_regex(escape(text)).fullmatch(before + text)


PATTERNS = ["a", "b+c", "^ab", "c$", "(?i)AB", "[^a]", "", "a|bc", "x{2,3}"]


@given(st.lists(st.sampled_from(PATTERNS), max_size=150), st.text("abcxAB\n", max_size=12))
def test_a_set_finds_what_the_patterns_find(patterns, text):
    if not patterns:
        return
    expected = [n for n, pattern in enumerate(patterns) if re.search(pattern.replace("c$", r"c\Z"), text)]
    assert sorted(PatternSet(patterns).scan(text)) == expected
    assert [n for n, pattern in enumerate(patterns) if compile_regex(pattern).search(text)] == expected


def test_an_automaton_out_of_memory_is_not_taken_for_no_match():
    class OutOfMemory:
        """What google-re2 answers when a set's automaton does not fit: as for no match."""

        def Match(self, _text):  # noqa: N802 - the binding's name
            return None

    patterns = PatternSet(["a", "b+c"])
    assert patterns.scan("none") == []
    patterns._chunks[0].automaton = OutOfMemory()
    assert patterns.scan("xbbc") == [1]


def test_without_re2_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(regex, "re2", None)
    for use in (lambda: compile_regex("a"), lambda: PatternSet(["a"])):
        with pytest.raises(RegexUnavailable, match="google-re2"):
            use()
