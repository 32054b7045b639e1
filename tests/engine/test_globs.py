import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.glob_index import GlobIndex
from policyc.engine.globs import matches

TABLE = [
    ("crm.*", "crm.x", True),
    ("crm.*", "crm.", True),
    ("crm.*", "crm", False),
    ("crm.*", "crm.a.b", True),
    ("crm.get*", "crm.get", True),
    ("crm.get*", "crm.get_contact", True),
    ("*.read", "fs.read", True),
    ("*.read", "read", False),
    ("*.shell.*", "local.shell.exec", True),
    ("*.shell.*", "shell.exec", False),
    ("foo.*.bar", "foo.x.bar", True),
    ("foo.*.bar", "foo.bar", False),
    ("a*a", "a", False),
    ("a*a", "aa", True),
    ("**", "x", True),
    ("*", "", True),
    ("", "anything", True),
    ("f?o", "foo", False),
    ("[ab]", "a", False),
    ("[ab]", "[ab]", True),
    ("Shell.*", "shell.x", False),
    ("é*", "école", True),
    ("a*b*c", "a1b2b3c", True),
    ("a*b*c", "acb", False),
]


@pytest.mark.parametrize(("pattern", "name", "expected"), TABLE)
def test_the_glob_language(pattern, name, expected):
    assert matches(pattern, name) is expected


@pytest.mark.parametrize(("pattern", "name", "expected"), TABLE)
def test_the_index_agrees_with_the_plain_match(pattern, name, expected):
    assert GlobIndex([(pattern,)]).lookup((name,)) == ([0] if expected else [])


globs = st.text(alphabet="ab.*\n\\[(é", max_size=8)
names = st.text(alphabet="ab.\n\\[(é\ud800", max_size=10)


@given(
    st.lists(st.one_of(st.none(), st.lists(globs, min_size=1, max_size=3).map(tuple)), max_size=6),
    names,
    names,
)
def test_the_index_finds_what_trying_every_glob_finds(entries, first, second):
    clean = [name.replace("\ud800", "\ufffd") for name in (first, second)]
    expected = [
        n
        for n, patterns in enumerate(entries)
        if patterns is None or any(matches(pattern, name) for pattern in patterns for name in clean)
    ]
    assert GlobIndex(entries).lookup((first, second)) == expected


@given(st.text(alphabet="ab.*", max_size=8), st.text(alphabet="ab.", max_size=10))
def test_without_question_marks_and_classes_it_is_fnmatch(pattern, name):
    assert matches(pattern, name) is (fnmatch.fnmatchcase(name, pattern) or not pattern)


def test_many_stars_do_not_backtrack():
    # A backtracking matcher would not come back from this within the age of the suite.
    assert not matches("*a" * 2_000 + "b", "a" * 50_000)
