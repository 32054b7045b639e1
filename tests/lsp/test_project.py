"""Which files are sources of policies."""

from pathlib import Path

import pytest

from policyc.lsp.project import Place, place_of


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("b/policies/p.yaml", "policy"),
        ("b/bundle.yaml", "bundle"),
        ("b/tests/calls.yaml", "test"),
        ("b/notes.yaml", None),
        ("lone.yaml", "policy"),
        ("lone.test.yaml", "test"),
        ("nobodys.test.yaml", None),
        ("lone.txt", None),
    ],
)
def test_a_file_is_told_by_where_it_is(tmp_path: Path, file: str, kind: str | None) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "bundle.yaml").write_text("bundle: b\n")
    (tmp_path / "lone.yaml").write_text("[]\n")
    root = tmp_path / "b" if file.startswith("b/") else tmp_path / "lone.yaml"
    assert place_of(tmp_path / file) == (None if kind is None else Place(root, kind))
