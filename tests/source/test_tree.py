"""What is read of a folder, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from policyc.source.tree import SizeLimits, SourceError, SourceTree, read_tree

RULE = b"- {priority: 1, verdict: deny}\n"


def bundle(folder: Path, files: dict[str, bytes]) -> Path:
    root = folder / "payments"
    for path, data in {"bundle.yaml": b"bundle: payments\n", "policies/a.yaml": RULE, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


def codes(tree: SourceTree) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in tree.problems]


def test_a_folder_is_its_bundle_values_and_policy_files(tmp_path: Path) -> None:
    root = bundle(
        tmp_path,
        {
            "values.yaml": b"a: 1\n",
            "policies/team/b.yml": RULE,
            "policies/c.json": b"[]",
            "policies/D.YAML": RULE,
        },
    )
    tree = read_tree(root)
    assert sorted(tree.files) == [
        "bundle.yaml",
        "policies/D.YAML",
        "policies/a.yaml",
        "policies/c.json",
        "policies/team/b.yml",
        "values.yaml",
    ]
    assert (tree.name, tree.single, tree.problems) == ("payments", False, ())


@pytest.mark.parametrize(
    "name",
    [
        "policies/.hidden.yaml",
        "policies/.git/x.yaml",
        "policies/#a.yaml#",
        "policies/.#a.yaml",
        "policies/a.yaml~",
        "policies/.a.yaml.swp",
        "policies/README.md",
        "tests/cases.yaml",
        "hooks.json",
        ".pre-commit-config.yaml",
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, name: str) -> None:
    tree = read_tree(bundle(tmp_path, {name: RULE}))
    assert sorted(tree.files) == ["bundle.yaml", "policies/a.yaml"]
    assert tree.problems == ()


def test_yaml_at_the_top_is_pointed_to_its_place(tmp_path: Path) -> None:
    tree = read_tree(bundle(tmp_path, {"refunds.yaml": RULE, "values.yml": b"a: 1"}))
    assert [(problem.path, problem.hint) for problem in tree.problems] == [
        ("refunds.yaml", "move it to policies/refunds.yaml"),
        ("values.yml", "move it to values.yaml"),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("crm read (2).yaml", "crm_read__2_"), ("7.json", "bundle"), ("Tight.yml", "tight")],
)
def test_a_lone_file_is_a_bundle_named_after_it(tmp_path: Path, name: str, expected: str) -> None:
    (tmp_path / name).write_bytes(RULE)
    tree = read_tree(tmp_path / name)
    assert tree == SourceTree({name: RULE}, expected, single=True)


def test_a_link_out_of_the_bundle_is_refused(tmp_path: Path) -> None:
    root = bundle(tmp_path, {})
    (tmp_path / "outside.yaml").write_bytes(RULE)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.yaml").write_bytes(RULE)
    (root / "policies" / "link.yaml").symlink_to("../../outside.yaml")
    (root / "policies" / "folder").symlink_to(tmp_path / "outside")
    tree = read_tree(root)
    assert codes(tree) == [
        ("link_leaves_bundle", "policies/folder"),
        ("link_leaves_bundle", "policies/link.yaml"),
    ]
    assert sorted(tree.files) == ["bundle.yaml", "policies/a.yaml"]


def test_links_as_kubernetes_mounts_them_are_followed(tmp_path: Path) -> None:
    root = bundle(tmp_path, {})
    data = root / "..2026_01_01"
    (data / "policies").mkdir(parents=True)
    (data / "policies" / "b.yaml").write_bytes(RULE)
    (root / "..data").symlink_to("..2026_01_01")
    (root / "policies" / "mounted").symlink_to("../..data/policies")
    tree = read_tree(root)
    assert "policies/mounted/b.yaml" in tree.files
    assert tree.problems == ()


def test_a_bundle_may_be_named_by_a_link(tmp_path: Path) -> None:
    root = bundle(tmp_path, {})
    (tmp_path / "current").symlink_to(root)
    assert read_tree(tmp_path / "current").problems == ()


def test_links_in_circles_end(tmp_path: Path) -> None:
    root = bundle(tmp_path, {})
    (root / "policies" / "again").symlink_to(root / "policies")
    (root / "policies" / "self.yaml").symlink_to("self.yaml")
    (root / "policies" / "gone.yaml").symlink_to("nowhere.yaml")
    assert [code for code, _path in codes(read_tree(root))] == ["unreadable_file"] * 3


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    root = bundle(tmp_path, {})
    os.mkfifo(root / "policies" / "pipe.yaml")
    assert codes(read_tree(root)) == [("unreadable_file", "policies/pipe.yaml")]


@pytest.mark.parametrize(
    "name", [b"pay\nments.yaml", b"pay\xffments.yaml", b"pay\\ments.yaml", "a\u202eb.yaml".encode()]
)
def test_a_name_that_cannot_be_shown_is_refused(tmp_path: Path, name: bytes) -> None:
    root = bundle(tmp_path, {})
    Path(os.fsdecode(os.fsencode(root / "policies") + b"/" + name)).write_bytes(RULE)
    [(code, path)] = codes(read_tree(root))
    assert code == "bad_file_name"
    assert path.isprintable()


def test_sizes_are_bounded(tmp_path: Path) -> None:
    root = bundle(tmp_path, {"policies/b.yaml": b"#" * 100, "policies/c.yaml": RULE})
    assert codes(read_tree(root, SizeLimits(file=99))) == [("file_too_large", "policies/b.yaml")]
    assert codes(read_tree(root, SizeLimits(total=120))) == [("bundle_too_large", "policies/b.yaml")]
    assert codes(read_tree(root, SizeLimits(files=2))) == [("bundle_too_large", "policies/b.yaml")]
    with pytest.raises(SourceError) as refused:
        read_tree(root / "policies" / "b.yaml", SizeLimits(file=99))
    assert refused.value.code == "file_too_large"


def test_what_is_not_there_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file") as missing:
        read_tree(tmp_path / "nothing")
    assert missing.value.code == "unreadable_file"
