"""docs/bundles.md names every bundle, rule and option."""

import pytest
import yaml
from bundle_cases import ROOT

PAGE = " ".join((ROOT / "docs/bundles.md").read_text("utf-8").split())


@pytest.mark.parametrize("policy", sorted(ROOT.glob("bundles/*/policies/*.yaml")), ids=lambda path: path.stem)
def test_it_is_on_the_page(policy):
    bundle = policy.parent.parent.name
    if policy.stem != bundle:
        assert f"`{bundle}.{policy.stem}`" in PAGE
        return
    assert f"## {bundle} " in PAGE
    rules = yaml.safe_load(policy.read_text("utf-8")).get("rules", [])
    assert not [rule["label"] for rule in rules if rule["label"] not in PAGE]
