"""``include``, ``extends``, presets, and the order of evaluation."""

from __future__ import annotations

from typing import Any

import pytest

from policyc.compiler import Compilation, compile_tree, link
from policyc.source.tree import SourceTree


def tree(files: dict[str, str], name: str = "x") -> SourceTree:
    return SourceTree({path: text.encode() for path, text in files.items()}, name)


def compile_policies(
    policies: dict[str, str], presets: dict[str, SourceTree] | None = None, bundle: str = ""
) -> Compilation:
    files = {f"policies/{name}.yaml": text for name, text in policies.items()}
    files["bundle.yaml"] = bundle or f"bundle: x\ndefault_policy: {next(iter(policies))}"
    return compile_tree(tree(files), presets=presets or {})


def labels(compilation: Compilation, policy: str) -> list[str]:
    return [rule["label"] for rule in policy_of(compilation, policy)["rules"]]


def policy_of(compilation: Compilation, policy: str) -> dict[str, Any]:
    assert compilation.data is not None, compilation.diagnostics
    found: dict[str, Any] = compilation.data["policies"][policy]
    return found


def rules(*priorities: int) -> str:
    return (
        "rules: [" + ", ".join(f"{{priority: {priority}, verdict: deny}}" for priority in priorities) + "]\n"
    )


def test_rules_are_in_order_of_priority_then_own_then_path_then_position() -> None:
    found = compile_policies(
        {"m": "include: [z, a]\n" + rules(5, 1, 5), "z": rules(5, 0), "a": rules(9, 5), "other": rules(1)}
    )
    assert labels(found, "m") == ["z#2", "m#2", "m#1", "m#3", "a#2", "z#1", "a#1"]
    assert labels(found, "other") == ["other#1"]


def test_included_policies_bring_theirs_and_each_counts_once() -> None:
    found = compile_policies(
        {
            "a": "include: [b, c]\n" + rules(1),
            "b": "include: [d]\n" + rules(2),
            "c": "extends: d\n",
            "d": rules(3),
        }
    )
    assert labels(found, "a") == ["a#1", "b#1", "d#1"]
    assert labels(found, "c") == ["d#1"]


def test_a_base_gives_what_is_not_given() -> None:
    found = compile_policies(
        {
            "own": "{extends: base, default_verdict: allow, shadow: false}",
            "mixed": "{extends: middle}",
            "middle": "{extends: base, shadow: false}",
            "base": "{extends: root, default_verdict: deny}",
            "root": "{default_verdict: audit, shadow: true}",
            "including": "{include: [base]}",
        }
    )
    settings = {
        name: (policy_of(found, name)["default_verdict"], policy_of(found, name)["shadow"])
        for name in ("own", "mixed", "base", "root", "including")
    }
    assert settings == {
        "own": ("allow", False),
        "mixed": ("deny", False),
        "base": ("deny", True),
        "root": ("audit", True),
        "including": ("audit", False),
    }


PRESET = tree(
    {
        "bundle.yaml": "bundle: tight\ndefault_policy: main",
        "values.yaml": "limit: 7",
        "policies/main.yaml": "include: [more]\ndefault_verdict: deny\n" + rules(1),
        "policies/more.yaml": "rules: [{priority: 2, verdict: deny, args_match: "
        "{clauses: [{path: $.n, op: gt, value: {from: limit}}]}}]",
    },
    "tight",
)


def test_a_preset_is_its_default_policy_with_its_own_names_and_values() -> None:
    found = compile_policies({"a": "extends: tight\n" + rules(9), "more": "[]"}, {"tight": PRESET})
    assert policy_of(found, "a")["default_verdict"] == "deny"
    assert labels(found, "a") == ["main#1", "more#1", "a#1"]
    rule = policy_of(found, "a")["rules"][1]
    assert rule["source"]["path"] == "preset:tight/policies/more.yaml"
    assert rule["clauses"][0]["value"] == 7
    assert found.data is not None
    assert sorted(found.data["policies"]) == ["a", "more"]
    assert "preset:tight/values.yaml" in found.sources
    assert "preset:unused/x" not in found.sources


def test_the_own_policy_goes_before_the_preset() -> None:
    found = compile_policies({"a": "include: [tight]\n", "tight": rules(3)}, {"tight": PRESET})
    assert labels(found, "a") == ["tight#1"]
    assert list(found.sources) == ["bundle.yaml", "policies/a.yaml", "policies/tight.yaml"]


def test_another_policy_of_a_preset_is_addressed_by_both_names() -> None:
    guard = tree(
        {
            "bundle.yaml": "bundle: guard\ndefault_policy: main\n",
            "policies/main.yaml": rules(5),
            "policies/option.yaml": "include: [guard.main]\n" + rules(4),
            "policies/dotted.yaml": "policy: a.b\n" + rules(3),
        },
        "guard",
    )
    presets = {"guard": guard}
    found = compile_policies({"m": "include: [guard, guard.main, guard.a.b]\n"}, presets)
    assert labels(found, "m") == ["a.b#1", "main#1"]
    found = compile_policies({"m": "extends: guard.option\n"}, presets)
    assert labels(found, "m") == ["option#1", "main#1"]
    assert "preset:guard/policies/option.yaml" in found.sources


def test_an_own_policy_of_that_exact_name_wins() -> None:
    guard = tree({"policies/option.yaml": rules(4)}, "guard")
    found = compile_policies({"m": "include: [guard.option]\n", "guard.option": rules(7)}, {"guard": guard})
    assert labels(found, "m") == ["guard.option#1"]
    assert not any(path.startswith("preset:") for path in found.sources)


def test_a_name_that_is_only_suggested_brings_nothing_along() -> None:
    broken = tree({"policies/option.yaml": "- {priority: 1, verdict: dney}"}, "guard")
    found = compile_policies({"m": "include: [gaurd.option]\n"}, {"guard": broken})
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["unknown_policy"]
    assert found.diagnostics[0].hint == "did you mean `guard.option`?"
    assert set(found.sources) == {"bundle.yaml", "policies/m.yaml"}


def test_presets_may_build_on_presets() -> None:
    layered = tree(
        {"bundle.yaml": "bundle: l", "policies/l.yaml": "include: [tight]\n" + rules(4)}, "layered"
    )
    found = compile_policies({"a": "include: [layered]"}, {"tight": PRESET, "layered": layered})
    assert labels(found, "a") == ["main#1", "more#1", "l#1"]


def test_a_broken_preset_is_reported_in_its_file() -> None:
    broken = tree({"bundle.yaml": "bundle: b", "policies/b.yaml": "[{priority: 1}]"}, "broken")
    [found] = compile_policies({"a": "include: [broken]"}, {"broken": broken}).diagnostics
    assert (found.code, found.path) == ("missing_key", "preset:broken/policies/b.yaml")


@pytest.mark.parametrize(
    ("policies", "code", "chain"),
    [
        ({"a": "include: [a]"}, "include_cycle", "`a` -> `a`"),
        (
            {"a": "include: [b]", "b": "include: [c]", "c": "include: [b]"},
            "include_cycle",
            "`b` -> `c` -> `b`",
        ),
        ({"a": "extends: b", "b": "extends: a"}, "extends_cycle", "`a` -> `b` -> `a`"),
        ({"a": "extends: b", "b": "include: [a]"}, "include_cycle", "`a` -> `b` -> `a`"),
    ],
)
def test_a_cycle_is_shown_once(policies: dict[str, str], code: str, chain: str) -> None:
    [found] = compile_policies(policies).diagnostics
    assert found.code == code
    assert chain in found.message


def test_a_diamond_is_no_cycle() -> None:
    found = compile_policies(
        {"a": "include: [b, c]", "b": "include: [d]", "c": "include: [d]", "d": rules(1)}
    )
    assert found.diagnostics == ()


def test_a_chain_may_be_as_long_as_there_are_files() -> None:
    policies = {f"p{n:04}": f"include: [p{n + 1:04}]" for n in range(1500)} | {"p1500": rules(1)}
    assert labels(compile_policies(policies), "p0000") == ["p1500#1"]


def test_rules_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "MAX_RULES", 5)
    found = compile_policies({"a": "include: [b]\n" + rules(1, 2), "b": rules(3, 4)})
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["too_many_rules"]
    assert compile_policies({"a": rules(1, 2), "b": rules(3, 4)}).diagnostics == ()
