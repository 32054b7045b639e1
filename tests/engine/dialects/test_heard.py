"""A server's answer is an agent's answer to the letter, or none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine import dialects
from policyc.engine.model import Call, Outcome

#: Agents whose hook answers by its exit code.
SILENT = ("kiro", "windsurf")
TALKING = [name for name in dialects.MODULES if name not in SILENT]
ARGS = {"command": "echo ***", "more": {"n": [1, None, True]}}


def outcome(verdict):
    return Outcome(verdict, "no", "rule_match")


def answer(dialect, verdict, reason="no"):
    return dialect.answer(outcome(verdict), reason, Call("t", {"command": "x"}), ARGS)


def as_served(found):
    """The document that the server makes of an answer."""
    return json.loads(found.stdout or "{}")


def same(one, other):
    return (one.stdout, one.stderr, one.exit_code) == (other.stdout, other.stderr, other.exit_code)


@pytest.mark.parametrize("name", TALKING)
@given(reason=st.text(max_size=40))
def test_what_a_server_says_is_heard(name, reason):
    dialect = dialects.load(name)
    for verdict in ("allow", "deny", *dialect.carries):
        said = answer(dialect, verdict, reason)
        heard = dialect.heard(as_served(said))
        assert heard is not None
        assert same(heard, said)


@pytest.mark.parametrize("name", TALKING)
def test_anything_beside_it_is_no_answer(name):
    dialect = dialects.load(name)
    for verdict in ("allow", "deny", *dialect.carries):
        document = as_served(answer(dialect, verdict))
        assert dialect.heard({**document, "x": 1}) is None
        for key in document:
            less = {other: value for other, value in document.items() if other != key}
            heard = dialect.heard(less)
            # A rewrite without its arguments is the allow.
            assert heard is None or less == as_served(answer(dialect, "allow"))


@pytest.mark.parametrize("name", dialects.MODULES)
def test_only_its_own_allow_is_one(name):
    dialect = dialects.load(name)
    allow = as_served(answer(dialect, "allow"))
    for other in TALKING:
        for verdict in ("allow", "deny"):
            document = as_served(answer(dialects.load(other), verdict))
            heard = dialect.heard(document)
            if heard is not None and same(heard, answer(dialect, "allow")):
                assert document == allow
                assert name not in SILENT


@pytest.mark.parametrize("name", SILENT)
def test_where_an_exit_code_answers_no_document_does(name):
    assert dialects.load(name).heard({}) is None
