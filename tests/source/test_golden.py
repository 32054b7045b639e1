"""Input files and the exact text they produce: one case a file, ``golden/<case>.txt``.

``POLICYC_GOLDEN=write`` writes the expected part anew; review the difference.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
from sources_on_disk import PRESETS, compile_files, write_files

from policyc.compiler import compile_tree
from policyc.source.catalogue import CATALOGUE, example_files
from policyc.source.render import render_text
from policyc.source.tree import read_tree

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = "-- expected --\n"
CASES = sorted(GOLDEN.glob("*.txt"))

#: What no text file can show, and the test that triggers it.
TRIGGERED_ELSEWHERE = {
    "unreadable_file": "test_tree.py",
    "file_too_large": "test_tree.py",
    "bundle_too_large": "test_tree.py",
    "link_leaves_bundle": "test_tree.py",
    "bad_file_name": "test_tree.py",
    "too_many_values": "test_hostile.py",
    "number_too_long": "test_hostile.py",
    "too_many_problems": "test_hostile.py",
    "too_many_rules": "../compiler/test_link.py",
    **dict.fromkeys(
        ("bad_test", "bad_call", "bad_time", "unknown_fixture", "duplicate_test"),
        "../testing/test_reading.py",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_diagnostics_are_exactly_these(case: Path, tmp_path: Path) -> None:
    given, _, expected = case.read_text("utf-8").partition(EXPECTED)
    compilation = compile_files(example_files(given), tmp_path)
    text = render_text(compilation.diagnostics, compilation.sources)
    if os.environ.get("POLICYC_GOLDEN") == "write":
        case.write_text(f"{given}{EXPECTED}{text}", "utf-8")
    else:
        assert text == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_order_of_the_files_does_not_matter(case: Path, tmp_path: Path) -> None:
    given = example_files(case.read_text("utf-8").partition(EXPECTED)[0])
    tree = read_tree(write_files(given, tmp_path / "x"))
    first = compile_tree(tree, presets=PRESETS)
    for seed in range(3):
        files = list(tree.files.items())
        random.Random(seed).shuffle(files)
        assert compile_tree(replace(tree, files=dict(files)), presets=PRESETS) == first


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_is_triggered_by_a_test(code: str) -> None:
    if code in TRIGGERED_ELSEWHERE:
        assert f'"{code}"' in (Path(__file__).parent / TRIGGERED_ELSEWHERE[code]).read_text("utf-8")
    else:
        assert any(f"[{code}]" in case.read_text("utf-8").partition(EXPECTED)[2] for case in CASES)
