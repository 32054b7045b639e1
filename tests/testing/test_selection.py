"""From paths and words to the tests that are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from policyc.testing.selection import Filter, Wanted, wanted
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
    ("chosen", "files", "names"),
    [
        (Filter(), None, ["Straße", "other"]),
        (Filter("STRASSE"), None, ["Straße"]),
        (Filter("calls.yaml oth"), None, ["other"]),
        (Filter("no such"), None, []),
        (Filter(policy="p"), None, ["Straße"]),
        (Filter(policy="q"), None, ["other"]),
        (Filter(), frozenset({"tests"}), ["Straße", "other"]),
        (Filter(), frozenset({"tests/calls.yaml"}), ["Straße", "other"]),
        (Filter(), frozenset({"tests/call"}), []),
    ],
)
def test_a_filter_narrows_down(
    tmp_path: Path, chosen: Filter, files: frozenset[str] | None, names: list[str]
) -> None:
    suite, loaded = read(write(tmp_path, TESTS, q="[]"))
    assert [case.name for case in chosen.cases(suite.cases, loaded.plan, files)] == names
