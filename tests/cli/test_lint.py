from pathlib import Path

import pytest

BUNDLES = Path(__file__).parents[2] / "bundles"
BAD = "default_verdict: deny\nshadow: true\nrules: []\n"


def test_a_finding_is_exit_1_with_its_place(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(BAD)
    answer = policyc("lint", "p.yaml")
    assert answer.code == 1
    assert answer.out == (
        "p.yaml:1: warning[shadow_on]: policy 'p' is in shadow: it blocks nothing\np.yaml: 1 finding\n"
    )


def test_clean_is_exit_0_and_names_what_was_silenced(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text("# policyc: ignore[shadow_on] pilot\n" + BAD)
    answer = policyc("lint", "p.yaml")
    assert (answer.code, answer.out) == (0, "p.yaml: 0 findings, 1 silenced\n")
    document = policyc("lint", "p.yaml", "--format", "json").json
    assert (document["ok"], document["findings"], document["silenced"][0]["code"]) == (True, [], "shadow_on")


def test_sarif_and_annotations_have_the_same_place(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(BAD)
    run = policyc("lint", "p.yaml", "--format", "sarif").json["runs"][0]
    (result,) = run["results"]
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("p.yaml", 1)
    assert policyc("lint", "p.yaml", "--format", "github").out == (
        "::warning file=p.yaml,line=1,title=shadow_on::policy 'p' is in shadow: it blocks nothing\n"
    )


def test_tools_that_are_none_are_used_wrongly(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(BAD)
    (tmp_path / "t.json").write_text("{}")
    assert "error[invalid_tools]" in policyc("lint", "p.yaml", "--tools", "t.json").err
    assert policyc("lint", "p.yaml", "--tools", "nowhere").code == 2
    assert policyc("lint", "nowhere").code == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.name for path in BUNDLES.iterdir()))
def test_shipped_bundles_are_clean(policyc, name):
    answer = policyc("lint", BUNDLES / name)
    assert answer.code == 0, answer.out


def test_fix_writes_and_says_what_it_did(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(
        "default_verdict: deny\nrules:\n"
        "  - priority: 5\n    label: api  # theirs\n    tool_name_glob: http.get\n"
        "    args_match:\n      clauses:\n"
        "        - {path: $.address, op: regex, value: '^https://a.example.com/$'}\n    verdict: allow\n"
        "# policyc: ignore[shadow_on] once\n"
    )
    answer = policyc("lint", "p.yaml", "--fix")
    assert answer.code == 0
    assert answer.out == (
        "p.yaml:3: fixed[unescaped_dot]: escaped the dots of `a.example.com`\n"
        '  tightened: allow -> deny, as for {"tool": "http.get", "args": {"address": "https://aaexampleacom/"}}\n'
        "p.yaml:10: fixed[unused_ignore]: took away `# policyc: ignore[shadow_on] once`\n"
        "  proved that no verdict changes\n"
        "p.yaml: 0 findings\n"
    )
    text = (tmp_path / "p.yaml").read_text()
    assert r"a\.example\.com" in text
    assert "# theirs" in text
    assert policyc("lint", "p.yaml", "--fix", "--format", "json").json["fixed"] == []


def test_fix_writes_nothing_where_nothing_is_sure(policyc, tmp_path):
    (tmp_path / "p.yaml").write_text(BAD)
    before = (tmp_path / "p.yaml").stat().st_ino
    assert policyc("lint", "p.yaml", "--fix").code == 1
    assert (tmp_path / "p.yaml").stat().st_ino == before
