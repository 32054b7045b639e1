"""The table of codes holds exactly the codes that the package raises."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import policyc.bundle
from policyc.bundle.errors import CODES, BundleError, quote

PACKAGE = Path(policyc.bundle.__file__).parent


def raised_codes() -> set[str]:
    codes = set()
    for file in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "BundleError":
                (code, *_) = node.args
                assert isinstance(code, ast.Constant), f"{file.name}:{node.lineno}: the code is not a literal"
                codes.add(str(code.value))
    return codes


def test_the_table_holds_the_codes_that_are_raised() -> None:
    assert raised_codes() == set(CODES)


def test_codes_are_snake_case_and_hints_are_sentences() -> None:
    for code, hint in CODES.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
        assert hint.endswith(".")
        assert hint[0].isupper()


def test_an_error_is_one_line_of_message_and_hint() -> None:
    error = BundleError("archive_empty", "the archive holds no file")
    assert str(error) == f"the archive holds no file. {CODES['archive_empty']}"
    assert str(BundleError("archive_empty", "nothing", "Do this.")) == "nothing. Do this."


def test_quoted_names_are_short_ascii() -> None:
    assert quote("a\n\x1b[31mb") == '"a\\n\\u001b[31mb"'
    assert len(quote("x" * 5000)) < 130


def test_other_quoted_values_are_short_too() -> None:
    assert [quote(value) for value in (None, True, 5, 1.5, ["x"], {"x": 1}, Path("a b"))] == [
        "null",
        "true",
        "5",
        "1.5",
        "a list",
        "an object",
        '"a b"',
    ]
    assert len(quote(10**4000)) < 130
