"""The catalogue: its examples do what they say, and its page is the one in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sources_on_disk import compile_files

import policyc
from policyc.source.catalogue import CATALOGUE, SECTIONS, Entry, example_files
from policyc.source.catalogue.page import page
from policyc.source.diagnostics import Diagnostic
from policyc.testing.suite import read_suite

PAGE = Path(policyc.__file__).parents[1] / "docs" / "diagnostics.md"
#: Examples that are a sentence: the files would be too large, or not files at all.
TOLD = [entry for entry in CATALOGUE.values() if entry.bad.startswith("# ") and "\n" not in entry.bad]


@pytest.mark.parametrize(
    "entry", [entry for entry in CATALOGUE.values() if entry not in TOLD], ids=lambda entry: entry.code
)
def test_the_bad_example_has_the_problem(entry: Entry, tmp_path: Path) -> None:
    found = [*compile_files(example_files(entry.bad), tmp_path).diagnostics, *of_tests(tmp_path)]
    assert {(diagnostic.code, diagnostic.severity) for diagnostic in found} == {(entry.code, entry.severity)}


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=lambda entry: entry.code)
def test_the_good_example_has_no_problem(entry: Entry, tmp_path: Path) -> None:
    compilation = compile_files(example_files(entry.good), tmp_path)
    assert compilation.diagnostics == ()
    assert compilation.data is not None
    assert of_tests(tmp_path) == ()


def of_tests(folder: Path) -> tuple[Diagnostic, ...]:
    """What is wrong with the test files of what `compile_files` wrote below `folder`."""
    return read_suite(folder / "x").diagnostics


def test_every_entry_is_in_one_section() -> None:
    assert sum(len(entries) for entries in SECTIONS.values()) == len(CATALOGUE)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m policyc.source.catalogue > docs/diagnostics.md"


def test_every_code_in_the_code_is_in_the_catalogue() -> None:
    """A code that is not there would be a KeyError when it is needed."""
    root = Path(policyc.__file__).parent
    for path in (*root.glob("compiler/*.py"), *root.glob("source/*.py"), *root.glob("testing/*.py")):
        text = path.read_text("utf-8")
        for code in re.findall(
            r'(?:\badd|_add|Remark|Problem|stop|of_bundle|_problem|_refused)\(\s*"(\w+)"', text
        ):
            assert code in CATALOGUE, f"{code} in {path.name}"
