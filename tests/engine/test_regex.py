import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine import regex_pure
from policyc.engine.regex import RegexError, escape

try:
    from policyc.engine import regex_re2
except ImportError:  # the suite also runs without it
    ENGINES = [regex_pure]
else:
    ENGINES = [regex_pure, regex_re2]


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.__name__.rpartition("_")[2], scope="module")
def engine(request):
    return request.param


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
        (r"a\C", r"\C (a single byte)"),
    ],
)
def test_what_re2_refuses_is_named(engine, pattern, says, capfd):
    with pytest.raises(RegexError) as refused:
        engine.compile_regex(pattern)
    assert says in str(refused.value)
    assert capfd.readouterr() == ("", "")


@given(st.text(max_size=12), st.text(max_size=4), st.text(max_size=4))
def test_an_escaped_text_matches_itself_alone(engine, text, before, after):
    compile_regex = engine.compile_regex
    text = text.encode("utf-8", "replace").decode()
    assert compile_regex(escape(text)).fullmatch(text)
    assert compile_regex(escape(text)).search(before + text + after)
    if before:
        assert not compile_regex(escape(text)).fullmatch(before + text)


PATTERNS = ["a", "b+c", "^ab", "c$", "(?i)AB", "[^a]", "", "a|bc", "x{2,3}"]


@given(st.lists(st.sampled_from(PATTERNS), max_size=150), st.text("abcxAB\n", max_size=12))
def test_a_set_finds_what_the_patterns_find(engine, patterns, text):
    if not patterns:
        return
    expected = [n for n, pattern in enumerate(patterns) if re.search(pattern.replace("c$", r"c\Z"), text)]
    assert sorted(engine.PatternSet(patterns).scan(text)) == expected
    assert [n for n, pattern in enumerate(patterns) if engine.compile_regex(pattern).search(text)] == expected


def test_an_automaton_out_of_memory_is_not_taken_for_no_match():
    pytest.importorskip("re2")

    class OutOfMemory:
        """What google-re2 answers when a set's automaton does not fit: as for no match."""

        def Match(self, _text):  # noqa: N802 - the binding's name
            return None

    patterns = regex_re2.PatternSet(["a", "b+c"])
    assert patterns.scan("none") == []
    patterns._chunks[0].automaton = OutOfMemory()
    assert patterns.scan("xbbc") == [1]


@pytest.mark.parametrize(
    ("pattern", "text", "spans"),
    [
        ("a|ab", "abab", [(0, 1), (2, 3)]),
        ("ab|a", "aba", [(0, 2), (2, 3)]),
        ("(?:a*?|b)*c", "xaabc", [(1, 5)]),
        ("a*", "baac", [(1, 3)]),
        (r"\ba", "a aa", [(0, 1), (2, 3)]),
        ("(?m)^a$", "a\nb\na", [(0, 1), (4, 5)]),
        ("^a", "aa", [(0, 1)]),
        (r"a|\B", "éab日a", [(1, 2), (4, 5)]),
        ("日+", "é日日", [(1, 3)]),
    ],
)
def test_spans_are_leftmost_and_prefer_as_perl_does(engine, pattern, text, spans):
    assert list(engine.compile_regex(pattern).spans(text)) == spans


def test_a_place_inside_a_character_is_none_of_a_word_for_re2(engine):
    assert engine.compile_regex(r"\B").search("aéb")
    assert not engine.compile_regex(r"\B").search("a b")
    assert not engine.compile_regex(r"\B").fullmatch("aéb")


def test_without_re2_the_engine_is_complete():
    program = (
        "import sys; sys.modules['re2'] = None\n"
        "from policyc.engine.regex import PatternSet, compile_regex\n"
        "assert compile_regex('(?i)a+b').search('xAAb')\n"
        "assert PatternSet(['a', 'b', 'c|d']).scan('bd') == [1, 2]\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
