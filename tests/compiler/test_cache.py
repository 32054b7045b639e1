"""What a second compilation costs, and that it comes to the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from policyc.compiler import CompileCache, compile_tree
from policyc.source.tree import SourceTree


def bundle(files: int, rules: int) -> dict[str, bytes]:
    sources = {
        "bundle.yaml": b"bundle: big\ndefault_policy: all\n",
        "policies/all.yaml": b"include: [" + b", ".join(b"p%03d" % file for file in range(files)) + b"]\n",
    }
    for file in range(files):
        text = "".join(
            f"- priority: {rule}\n  label: rule {file}.{rule}\n  tool_name_glob: payment.x{file}.y{rule}.*\n"
            f"  args_match:\n    clauses:\n      - {{path: $.amount, op: gt, value: 100000}}\n"
            f"      - {{path: $.command, op: regex, value: 'rm -rf /srv/{file}/{rule}'}}\n"
            f"  verdict: deny\n  reason: Payments above 1,000.00 need a person.\n  risk_factors: [money]\n"
            for rule in range(rules)
        )
        sources[f"policies/p{file:03}.yaml"] = text.encode()
    return sources


def test_a_changed_file_is_read_again_and_only_that() -> None:
    files = bundle(5, 4)
    cache = CompileCache()
    before = compile_tree(SourceTree(files, "x"), presets={}, cache=cache)
    changed = {**files, "policies/p003.yaml": files["policies/p003.yaml"].replace(b"deny", b"allow")}
    after = compile_tree(SourceTree(changed, "x"), presets={}, cache=cache)
    assert after == compile_tree(SourceTree(changed, "x"), presets={})
    assert before.data is not None
    assert after.data is not None
    pairs = zip(before.data["policies"]["all"]["rules"], after.data["policies"]["all"]["rules"], strict=True)
    assert sum(one is other for one, other in pairs) == 16


def test_a_changed_value_is_filled_in_anew_also_inside_of_shell() -> None:
    clause = b"{path: $.command, op: shell, value: {program: cat, reads: {from: secrets}}}"
    policy = b"- priority: 1\n  args_match: {clauses: [" + clause + b"]}\n  verdict: deny\n"
    cache = CompileCache()
    for secrets in (["~/.ssh/**"], [".env"], ["~/.ssh/**"]):
        files = {
            "bundle.yaml": b"bundle: x\n",
            "policies/a.yaml": policy,
            "values.yaml": f"secrets: {secrets}".encode(),
        }
        data = compile_tree(SourceTree(files, "x"), presets={}, cache=cache).data
        assert data is not None
        found = data["policies"]["a"]["rules"][0]["clauses"][0]["value"]
        assert found == {"program": "cat", "reads": secrets}


def test_problems_are_remembered_too() -> None:
    cache = CompileCache()
    tree = SourceTree({"bundle.yaml": b"bundle: X\n", "policies/a.yaml": b"- {verdict: dney}\n"}, "x")
    first = compile_tree(tree, presets={}, cache=cache)
    assert compile_tree(tree, presets={}, cache=cache) == first
    assert len(first.diagnostics) == 3


def test_a_file_that_changes_its_role_is_read_anew() -> None:
    cache = CompileCache()
    lone = SourceTree({"bundle.yaml": b"[]"}, "x", single=True)
    folder = SourceTree({"bundle.yaml": b"[]"}, "x")
    assert compile_tree(lone, presets={}, cache=cache).data is not None
    assert compile_tree(folder, presets={}, cache=cache).data is None


class Counting(CompileCache):
    """Counts the files that are read because memory does not have them."""

    read: list[str]

    def get(self, path: str, data: bytes, read: Callable[[str, bytes], Any]) -> Any:
        def counted(path: str, data: bytes) -> Any:
            self.read.append(path)
            return read(path, data)

        counted.__name__ = read.__name__
        return super().get(path, data, counted)


def test_one_changed_file_of_many_costs_one_file() -> None:
    files, cache = bundle(100, 2), Counting()
    cache.read = []
    assert compile_tree(SourceTree(files, "x"), presets={}, cache=cache).data is not None
    assert len(cache.read) == len(files)
    cache.read = []
    files["policies/p050.yaml"] = files["policies/p050.yaml"].replace(b"100000", b"200000")
    assert compile_tree(SourceTree(files, "x"), presets={}, cache=cache).data is not None
    assert cache.read == ["policies/p050.yaml"]
