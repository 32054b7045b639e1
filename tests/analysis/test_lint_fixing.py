"""What `lint --fix` does, what it proves, and what it leaves to its author."""

from __future__ import annotations

from pathlib import Path

import pytest

from policyc.analysis.lint.catalogue import CATALOGUE
from policyc.analysis.lint.fixing import Fixed, fix
from policyc.source.tree import read_tree

HOST = """\
default_verdict: deny
rules:
  - label: api  # theirs
    priority: 5
    tool_name_glob: http.get
    args_match:
      clauses:
        - {path: $.address, op: regex, value: VALUE}
    verdict: allow
"""


def fixed(folder: Path, text: str) -> tuple[Fixed, str]:
    path = folder / "p.yaml"
    path.write_bytes(text.encode())
    found = fix(read_tree(path))
    return found, found.files.get("p.yaml", path.read_bytes()).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'^https://api.example.com/.*$'", r"'^https://api\.example\.com/.*$'"),
        ('"^https://api.example\\\\.com/x$"', '"^https://api\\\\.example\\\\.com/x$"'),
        ("^https://api.example.com:8080/$", r"^https://api\.example\.com:8080/$"),
    ],
)
def test_dots_of_a_host_are_escaped_and_that_only_tightens(tmp_path, before, after):
    found, text = fixed(tmp_path, HOST.replace("VALUE", before))
    assert text == HOST.replace("VALUE", after)
    (one,) = found.fixes
    (change,) = one.changes
    assert (change.direction, change.before.rule, change.after.rule) == ("tightened", "api", None)
    assert found.linted.findings == []


@pytest.mark.parametrize(
    "value", ["'^api.example.com$'", "'^https?://.*api.example.com$'", "'^https://a.example.com.*$'"]
)
def test_a_dot_that_may_be_meant_stays(tmp_path, value):
    found, text = fixed(tmp_path, HOST.replace("VALUE", value))
    assert text == HOST.replace("VALUE", value)
    assert "unescaped_dot" in {it.code for it in found.linted.findings}


def test_line_ends_and_other_comments_stay(tmp_path):
    before = HOST.replace("VALUE", "'^https://a.example.com/$'").replace("\n", "\r\n")
    _, text = fixed(tmp_path, before)
    assert text == before.replace("a.example.com", r"a\.example\.com")


def test_a_rule_that_says_nothing_new_goes(tmp_path):
    found, text = fixed(tmp_path, CATALOGUE["redundant_rule"].bad)
    assert text == CATALOGUE["redundant_rule"].good
    assert [(one.finding.line, one.changes) for one in found.fixes] == [(3, ())]


@pytest.mark.parametrize(
    "bad",
    [
        # Somebody had something to say of it.
        CATALOGUE["redundant_rule"].bad.replace("rules:\n", "rules:\n  # for the audit\n"),
        # Other rules would have other names.
        CATALOGUE["redundant_rule"].bad.replace("label: crm, ", ""),
    ],
)
def test_a_rule_that_is_more_than_its_verdicts_stays(tmp_path, bad):
    assert fixed(tmp_path, bad)[1] == bad


def test_of_two_rules_that_make_each_other_redundant_one_stays(tmp_path):
    rule = "  - {priority: N, label: rN, tool_name_glob: a, verdict: allow}\n"
    text = "default_verdict: deny\nrules:\n" + rule.replace("N", "1") + rule.replace("N", "2")
    _, after = fixed(tmp_path, text)
    assert after.count("verdict: allow") == 1


def test_a_comment_that_silences_nothing_goes_and_a_misspelt_one_stays(tmp_path):
    bad = CATALOGUE["unused_ignore"].bad
    assert fixed(tmp_path, bad)[1] == CATALOGUE["unused_ignore"].good
    above = "# policyc: ignore[shadow_on] once\n" + CATALOGUE["unused_ignore"].good
    assert fixed(tmp_path, above)[1] == CATALOGUE["unused_ignore"].good
    for stays in (bad.replace("shadow_on", "shadow_no"), bad.replace("shadow_on", "unknown_tool")):
        assert fixed(tmp_path, stays)[1] == stays


@pytest.mark.parametrize(
    "code", [code for code in CATALOGUE if code not in ("unused_ignore", "redundant_rule", "unescaped_dot")]
)
def test_what_has_more_than_one_answer_stays(tmp_path, code):
    bad = CATALOGUE[code].bad
    if bad:
        found, text = fixed(tmp_path, bad)
        assert text == bad
        assert code in {it.code for it in found.linted.findings}


def test_a_list_of_rules_in_brackets_stays(tmp_path):
    rule = '{"priority": N, "label": "rN", "tool_name_glob": "a", "verdict": "deny"}'
    text = f"[{rule.replace('N', '1')}, {rule.replace('N', '2')}]\n"
    assert fixed(tmp_path, text)[1] == text
