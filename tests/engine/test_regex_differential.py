"""The engine of the standard library answers as google-re2 does, on patterns and texts made up for it."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from regex_cases import pattern, text

from policyc.compiler.patterns import written_out
from policyc.engine import regex_pure
from policyc.engine.regex_errors import RegexError

regex_re2 = pytest.importorskip("policyc.engine.regex_re2")

SEEDS = range(20)
#: With three texts each, over 100,000 cases of a pattern and a text in all.
PATTERNS_PER_SEED = 2_000


def made(source):
    """What google-re2 makes of a pattern, and what the others make of it written out."""
    written = written_out(source)
    return regex_re2.Pattern(source), (regex_pure.Pattern(written), regex_re2.Pattern(written))


def answers(compiled, texts):
    return [
        (compiled.search(entry), compiled.fullmatch(entry), list(compiled.spans(entry))) for entry in texts
    ]


def check(random):
    source = pattern(random, odd=random.random() < 0.1)
    texts = [text(random) for _ in range(3)]
    try:
        reference, others = made(source)
    except RegexError:  # test_regex_syntax.py says that both refuse it
        return False
    for other in others:
        assert answers(other, texts) == answers(reference, texts), (source, other.source, texts)
    return True


@given(st.randoms(use_true_random=False))
def test_one_pattern(random):
    check(random)


@given(st.randoms(use_true_random=False), st.booleans())
def test_a_set(random, full_match):
    sources = []
    while len(sources) < 5:
        try:
            sources.append(written_out(pattern(random)))
            regex_re2.compile_regex(sources[-1])
        except RegexError:
            sources.pop()
    found = regex_pure.PatternSet(sources, full_match=full_match)
    reference = regex_re2.PatternSet(sources, full_match=full_match)
    for _ in range(3):
        entry = text(random)
        assert sorted(found.scan(entry)) == sorted(reference.scan(entry)), (sources, entry)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_hundred_thousand_cases(seed):
    random = Random(seed)
    compared = sum(check(random) for _ in range(PATTERNS_PER_SEED))
    assert compared > PATTERNS_PER_SEED * 0.9
