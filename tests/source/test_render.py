"""Diagnostics as text and as JSON."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from policyc.source.diagnostics import Diagnostic
from policyc.source.render import render_json, render_text

FOUND = Diagnostic(
    "unknown_key", "error", "a.yaml", 2, 3, "$[0].lable", "unknown key `lable`", "did you mean `label`?"
)


def test_text_has_the_line_the_caret_and_the_hint() -> None:
    assert render_text([FOUND], {"a.yaml": b"- a: 1\n  lable: x\n"}) == (
        "a.yaml:2:3: error[unknown_key]: unknown key `lable`\n"
        "  2 |   lable: x\n"
        "    |   ^\n"
        "  help: did you mean `label`?\n"
    )


def test_json_has_the_same_facts() -> None:
    assert render_json([FOUND]) == [
        {
            "code": "unknown_key",
            "severity": "error",
            "path": "a.yaml",
            "line": 2,
            "column": 3,
            "json_path": "$[0].lable",
            "message": "unknown key `lable`",
            "hint": "did you mean `label`?",
        }
    ]


def test_without_the_source_there_is_only_the_headline() -> None:
    assert (
        render_text([replace(FOUND, hint=None)], {})
        == "a.yaml:2:3: error[unknown_key]: unknown key `lable`\n"
    )


def test_a_credential_is_not_repeated() -> None:
    secret = replace(FOUND, code="secret_in_source", line=1, column=1, hint=None)
    assert "hunter2" not in render_text([secret], {"a.yaml": b"Authorization: hunter2\n"})


def test_the_terminal_is_left_alone() -> None:
    hostile = replace(FOUND, message="a\x1b[31m\nb\u202e", line=1)
    text = render_text([hostile], {"a.yaml": "\x1b]0;title\x07\u202e".encode()})
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.splitlines()[0].endswith("a\\x1b[31m\\x0ab\\u202e")


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "a" * 500 + "HERE" + "b" * 500
    text = render_text([replace(FOUND, line=1, column=501, hint=None)], {"a.yaml": line.encode()})
    shown, caret = text.splitlines()[1:]
    assert len(shown) < 120
    assert shown[caret.index("^")] == "H"


@given(st.binary(max_size=200), st.integers(1, 30), st.integers(1, 300))
def test_any_source_can_be_shown(source: bytes, line: int, column: int) -> None:
    render_text([replace(FOUND, line=line, column=column)], {"a.yaml": source})


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=120), st.data())
def test_the_caret_is_under_its_character(line: str, data: st.DataObject) -> None:
    if line.isascii() and line.strip():
        column = data.draw(st.integers(1, len(line)))
        shown = render_text([replace(FOUND, line=1, column=column, hint=None)], {"a.yaml": line.encode()})
        source, caret = shown.split("\n")[1:3]
        if line[column - 1] != " ":
            assert source[caret.index("^")] == line[column - 1]
