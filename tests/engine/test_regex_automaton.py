import threading
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from regex_cases import pattern, text

from policyc.compiler.patterns import written_out
from policyc.engine import regex_automaton, regex_pure
from policyc.engine.regex_automaton import MAX_UNITS, Automaton
from policyc.engine.regex_errors import RegexError
from policyc.engine.regex_needs import needed
from policyc.engine.regex_program import Program
from policyc.engine.regex_spans import spans
from policyc.engine.regex_syntax import parse


class Counting(Automaton):
    """Counts the steps that cost more than a look-up."""

    __slots__ = ("steps",)

    def _step(self, state, number, kind):
        self.steps = getattr(self, "steps", 0) + 1
        return super()._step(state, number, kind)


CATASTROPHES = ["(a*)*b", "(a|a)*b", "(a|aa)+$", "([a-z]+)+$", "(a+)+b", "(a|a?)+b", "(.*a){12}b", "(x+x+)+y"]


@pytest.mark.parametrize("source", CATASTROPHES)
@pytest.mark.parametrize("whole", [False, True])
def test_a_catastrophic_pattern_builds_few_states(source, whole):
    automaton = Counting(Program(parse(source)), whole=whole)
    assert not automaton.matches("a" * 100_000 + "!")
    assert automaton.steps < 100


@pytest.mark.parametrize("source", CATASTROPHES)
def test_the_spans_of_a_catastrophic_pattern(source):
    assert list(spans(Program(parse(source)), "a" * 2_000 + "!")) == []


EXPONENTIAL = "(a|b)*a(a|b){20}c"


def test_an_exponential_automaton_stays_in_its_bound_and_right():
    automaton = Counting(Program(parse(EXPONENTIAL)), whole=False)
    noise = "".join(Random(3).choices("ab", k=20_000))
    over = MAX_UNITS + 100
    for end, expected in (("a" + "b" * 20 + "c", True), ("b" * 21 + "c", False), ("", False)):
        assert automaton.matches(noise + end) is expected
        assert automaton._units < over
        assert sum(len(state) + len(state.nodes) for state in automaton._states.values()) < over
    assert automaton.steps > MAX_UNITS // 30


def test_many_characters_fill_the_bound_and_no_more():
    automaton = Automaton(Program(parse("[^x]x{2}")), whole=False)
    everything = "".join(map(chr, range(0x1000, 0xD000)))
    assert not automaton.matches(everything * 2)
    assert automaton.matches(everything + "xx")
    assert sum(map(len, automaton._states.values())) < 2 * MAX_UNITS


def test_threads_share_an_automaton_that_starts_over(monkeypatch):
    monkeypatch.setattr(regex_automaton, "MAX_UNITS", 200)
    automaton = Automaton(Program(parse("(a|b)*a(a|b){6}c")), whole=False)
    wrong = []

    def work(seed):
        random = Random(seed)
        for _ in range(200):
            tail = "".join(random.choices("ab", k=7))
            if automaton.matches("b" * 9 + tail + "c") is not (tail[0] == "a"):
                wrong.append(tail)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("source", "texts", "folded"),
    [
        (r"rm\s+-[a-z]*f", ["rm"], False),
        ("(?i)(DROP|delete)", ["drop", "delete"], True),
        (r"\bGIT_(SSH|ASKPASS)=", ["GIT_"], False),
        ("a(bc)+d?", ["bc"], False),
        ("(?i)kS", ["ks"], True),
        ("x{0,3}yz", ["yz"], False),
        ("a|b*", None, None),
        ("[ab]c?", None, None),
        ("", None, None),
    ],
)
def test_the_literals_of_a_pattern(source, texts, folded):
    found = needed(parse(source))
    assert (
        (texts, folded) == (None, None) if found is None else (found.texts, found.folded) == (texts, folded)
    )


@given(st.randoms(use_true_random=False))
def test_a_text_that_matches_has_the_literals(random):
    try:
        tree = parse(written_out(pattern(random)))
    except RegexError:
        return
    literals, automaton = needed(tree), Automaton(Program(tree), whole=False)
    for _ in range(3):
        entry = text(random)
        assert literals is None or literals.may_match(entry) or not automaton.matches(entry)


def test_a_text_without_the_literals_reads_nothing():
    regex_pure.prepare("needle[0-9]+(", ["needle"], False)
    prepared = regex_pure.compile_regex("needle[0-9]+(")
    assert not prepared.search("hay")
    with pytest.raises(RegexError, match="missing"):
        prepared.search("a needle")
    assert not list(prepared.spans("hay"))
