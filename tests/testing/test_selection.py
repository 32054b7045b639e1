"""From paths and words to the tests that are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from policyc.source.tree import SourceError
from policyc.testing.selection import Filter, Wanted, wanted
from policyc.testing.suite import read_suite
from testing.on_disk import read, write

TESTS = """\
tests:
  - {name: Straße, call: {tool: a}, expect: deny}
  - {name: other, policy: q, call: {tool: a}, expect: deny}
"""


def test_a_test_file_or_folder_stands_for_its_target(tmp_path: Path) -> None:
    target = write(tmp_path, TESTS)
    assert wanted([target]) == [Wanted(target)]
    assert wanted([target / "tests"]) == [Wanted(target, frozenset({"tests"}))]
    file = target / "tests" / "calls.yaml"
    assert wanted([file]) == [Wanted(target, frozenset({"tests/calls.yaml"}))]
    assert wanted([file, target]) == wanted([target, file]) == [Wanted(target)]


def test_a_bundle_in_a_folder_called_tests_is_a_bundle(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    target = write(tmp_path / "tests", TESTS)
    assert wanted([target / "tests" / "calls.yaml"]) == [Wanted(target, frozenset({"tests/calls.yaml"}))]
    assert wanted([target]) == [Wanted(target)]


def test_a_test_file_beside_a_policy_stands_for_it(tmp_path: Path) -> None:
    (tmp_path / "pay.yml").write_text("[]")
    assert wanted([tmp_path / "pay.test.yaml"]) == [
        Wanted(tmp_path / "pay.yml", frozenset({"pay.test.yaml"})),
    ]


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (Filter(), ["Straße", "other"]),
        (Filter("STRASSE"), ["Straße"]),
        (Filter("calls.yaml oth"), ["other"]),
        (Filter("no such"), []),
        (Filter(policy="p"), ["Straße"]),
        (Filter(policy="q"), ["other"]),
    ],
)
def test_a_filter_narrows_down(tmp_path: Path, chosen: Filter, names: list[str]) -> None:
    suite, loaded = read(write(tmp_path, TESTS, q="[]"))
    assert [case.name for case in chosen.cases(suite.cases, loaded.plan)] == names


@pytest.mark.parametrize(
    ("files", "cases", "errors"),
    [
        (None, 2, 1),
        ({"tests"}, 2, 1),
        ({"tests/calls.yaml"}, 2, 0),
        ({"tests/wrong.yaml"}, 0, 1),
        ({"tests/wrong.yaml", "tests/calls.yaml"}, 2, 1),
    ],
)
def test_a_file_that_is_not_asked_for_stands_in_nobodys_way(
    tmp_path: Path, files: set[str] | None, cases: int, errors: int
) -> None:
    target = write(tmp_path, TESTS, q="[]")
    (target / "tests" / "wrong.yaml").write_text("tests: 5\n")
    chosen = Wanted(target, None if files is None else frozenset(files)).of(read_suite(target))
    assert (len(chosen.cases), len(chosen.diagnostics)) == (cases, errors)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    target = write(tmp_path, TESTS)
    with pytest.raises(SourceError, match="tests/call"):
        Wanted(target, frozenset({"tests/call"})).of(read_suite(target))
