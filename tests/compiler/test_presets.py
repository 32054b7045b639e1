"""The bundles that ship, as presets."""

from __future__ import annotations

import pytest

from policyc.compiler import compile_tree, shipped_presets
from policyc.source.tree import SourceTree


@pytest.mark.parametrize("name", shipped_presets())
def test_it_can_be_included(name: str) -> None:
    presets = shipped_presets()
    tree = SourceTree({"a.yaml": f"include: [{name}]".encode()}, "a", single=True)
    compilation = compile_tree(tree, presets=presets)
    assert compilation.data is not None, compilation.diagnostics
    assert compilation.data["policies"]["a"]["rules"]


def test_there_are_some() -> None:
    assert shipped_presets()
