from __future__ import annotations

import pytest

from policyc.bundle.errors import BundleError
from policyc.bundle.layout import check_bundle_name, check_layout, check_path, check_reserved, is_reserved

from .crafting import refusal


@pytest.mark.parametrize("name", ["payments", "a", "coding_agent2"])
def test_bundle_names(name: str) -> None:
    assert check_bundle_name(name) == name


@pytest.mark.parametrize("name", ["", "Payments", "2x", "a-b", "a/b", "a\n", "é", "x" * 129, None, 3])
def test_other_names_are_refused(name: object) -> None:
    with pytest.raises(BundleError) as caught:
        check_bundle_name(name)
    assert refusal(caught.value) == "bundle_name_invalid"


@pytest.mark.parametrize(
    "path", ["a", "a/b.yaml", ".manifest", "preset:tight/policies/x y.yaml", "ü/日本.yaml", "..a/b.."]
)
def test_paths(path: str) -> None:
    assert check_path(path, 512) == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "./a",
        "a/../b",
        "../a",
        "/a",
        "//a",
        "a//b",
        "a/",
        "a\\b",
        "a\0b",
        "a\nb",
        "a\x1b[0m",
        "a\u202eb",
    ],
)
def test_unsafe_paths_are_refused(path: str) -> None:
    with pytest.raises(BundleError) as caught:
        check_path(path, 512)
    assert refusal(caught.value) == "unsafe_path"


def test_the_length_of_a_path_is_counted_in_bytes() -> None:
    check_path("é" * 5, 10)
    with pytest.raises(BundleError, match="longer than 10 bytes"):
        check_path("é" * 6, 10)


@pytest.mark.parametrize("path", ["._a", "a/._b", "._.", "./._c", "._d/"])
def test_appledouble_files_are_named_with_their_usual_cause(path: str) -> None:
    with pytest.raises(BundleError) as caught:
        check_path(path, 512)
    assert refusal(caught.value) == "appledouble_file"
    assert "macOS" in str(caught.value)
    assert "COPYFILE_DISABLE=1" in str(caught.value)


@pytest.mark.parametrize(
    "base",
    [
        "data.json",
        "data.yaml",
        "data.yml",
        "patch.json",
        "plan.json",
        "policy.wasm",
        "x.wasm",
        "x.rego",
        ".rego",
        ".manifest",
        "x.manifest",
        ".signatures.json",
        "signatures.json",
        "my-signatures.json",
        "DATA.JSON",
    ],
)
def test_names_that_opa_reads_are_reserved_in_any_folder(base: str) -> None:
    for path in (base, f"policies/{base}", f"policyc/payments/sources/a/b/{base}"):
        assert is_reserved(path)


@pytest.mark.parametrize(
    "path", ["bundle.yaml", "data.txt", "mydata.json", "data.json/x.yaml", "hooks.json", "rego"]
)
def test_other_names_are_free(path: str) -> None:
    assert not is_reserved(path)


def test_reserved_names_may_be_at_their_place_only() -> None:
    check_reserved([".manifest", ".signatures.json", "policyc/payments/data.json"])
    for path in ("data.json", "sub/.signatures.json", ".Signatures.json", "policyc/a/b/data.json"):
        with pytest.raises(BundleError) as caught:
            check_reserved([path])
        assert refusal(caught.value) == "reserved_name"


def test_the_layout_has_no_other_places() -> None:
    root = "policyc/payments"
    check_layout(
        [".manifest", f"{root}/data.json", f"{root}/sources/a.yaml", f"{root}/hooks/x/hooks.json"], "payments"
    )
    for path in (
        "README.md",
        f"{root}/README.md",
        "policyc/other/data.json",
        f"{root}/sources",
        f"{root}x/sources/a",
    ):
        with pytest.raises(BundleError) as caught:
            check_layout([path], "payments")
        assert refusal(caught.value) == "unexpected_file"
