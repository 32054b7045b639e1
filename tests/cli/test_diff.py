"""What may be compared, and the forms of the answer; what the answer is, the prepared edits hold."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

OLD = """\
default_verdict: deny
rules:
  - priority: 5
    label: cap
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount_cents, op: gt, value: 100000}
        - {path: $.currency, op: eq, value: EUR}
    verdict: deny
  - priority: 6
    label: accounts
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.to, op: regex, value: '^DE[0-9]+$'}
    verdict: allow
  - {priority: 10, label: reads, tool_name_glob: "crm.get*", verdict: allow}
  - {priority: 20, label: shell, tool_name_glob: shell.exec, verdict: pending_approval}
"""
BUNDLE = """\
bundle: desk
hooks:
  gate:
    pre_tool_execution:
      - {matcher: code_execution, handler: gate}
      - {matcher: write_file, handler: gate}
"""


def write(folder: Path, policy: str = OLD, bundle: str = BUNDLE) -> Path:
    (folder / "policies").mkdir(parents=True)
    (folder / "bundle.yaml").write_text(bundle)
    (folder / "policies/desk.yaml").write_text(policy)
    return folder


def edit(text: str, *replacements: tuple[str, str]) -> str:
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def test_a_hook_that_is_lost_counts_as_loosened(policyc, tmp_path):
    write(tmp_path / "old")
    write(tmp_path / "new", bundle=edit(BUNDLE, ("      - {matcher: write_file, handler: gate}\n", "")))
    answer = policyc("diff", "old", "new", "--fail-on", "loosened")
    assert answer.code == 1
    assert answer.out.startswith("no verdict changes; proved\n")
    assert 'uncovered: the hooks no longer stand before "write_file"  (new/bundle.yaml)' in answer.out
    assert policyc("diff", "old", "old", "--fail-on", "any").code == 0


def test_the_same_target_in_every_form(policyc, bundle):
    assert policyc("build", bundle).code == 0
    for one, two in ((bundle, "pay.tar.gz"), ("pay/policies/pay.yaml", "pay/policies/pay.yaml")):
        assert policyc("diff", one, two).out.startswith("no verdict changes; proved\n")


def test_git_revisions(policyc, tmp_path):
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    write(tmp_path / "bundles/desk")
    git("add", ".")
    git("commit", "-m", "old")
    policy = tmp_path / "bundles/desk/policies/desk.yaml"
    policy.write_text(edit(OLD, ("100000", "200000")))
    # An attribute must not hide a file from whoever reviews it.
    (tmp_path / ".gitattributes").write_text("bundles/desk/policies/desk.yaml export-ignore\n")
    git("add", ".")
    git("commit", "-m", "new")
    answer = policyc("diff", "HEAD~1", "HEAD", "--", "bundles/desk")
    assert "loosened: deny -> allow" in answer.out
    assert "(HEAD~1:bundles/desk/policies/desk.yaml:3)" in answer.out
    assert policyc("diff", "HEAD~1", "bundles/desk", "--fail-on", "loosened").code == 1
    annotation = policyc("diff", "HEAD~1", "HEAD", "--format", "github", "--", "bundles/desk").out
    assert annotation.startswith("::warning file=bundles/desk/policies/desk.yaml,line=11,title=loosened::")
    for arguments in (
        ("nowhere", "HEAD", "bundles/desk"),
        ("HEAD~1", "HEAD", "gone"),
        ("HEAD", "HEAD", "../x"),
    ):
        assert policyc("diff", *arguments).code == 2


def test_recorded_calls_are_counted_in_their_region(policyc, tmp_path):
    write(tmp_path / "old")
    write(tmp_path / "new", edit(OLD, ("100000", "200000")))
    args = {"amount_cents": 150000, "currency": "EUR", "to": "DE1"}
    events = [{"tool": "payment.send", "args": args, "agent": agent} for agent in ("a", "a", "b")]
    (tmp_path / "e.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    document = policyc("diff", "old", "new", "--events", "e.jsonl", "--format", "json").json
    (change,) = document["changes"]
    assert change["recorded"]["agents"] == {"a": 2, "b": 1}
    assert (document["traffic"]["calls"], len(change["recorded"]["examples"])) == (3, 3)
    text = policyc("diff", "old", "new", "--events", "e.jsonl").out
    assert '3 recorded calls, by "a" (2), "b" (1), of "payment.send" (3)' in text


HOSTILE = "</code></details><img src=x> @octocat ``` [x](https://evil.example)"
TURNED = f"{HOSTILE} \N{RIGHT-TO-LEFT OVERRIDE}"


def test_markdown_is_code_whatever_the_policy_says(policyc, tmp_path):
    policy = (
        f"default_verdict: deny\nrules:\n  - {{priority: 1, label: {json.dumps(HOSTILE)}, "
        f"tool_name_glob: [{json.dumps(TURNED)}], verdict: allow}}\n"
    )
    write(tmp_path / "old", policy)
    write(tmp_path / "new", policy.replace("verdict: allow", "verdict: audit"))
    comment = policyc("diff", "old", "new", "--format", "markdown").out
    assert "tightened" in comment
    assert "<img" not in comment
    assert comment.count("<details") == comment.count("</details>") == 2
    outside = [part.rpartition("</code>")[2] for part in comment.split("<code>")]
    assert not any("octocat" in part or "evil" in part for part in outside)
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in comment


def test_a_comment_stays_below_its_limit_with_the_loosened_first(policyc, tmp_path):
    rules = "".join(
        f"  - {{priority: {n}, label: {'x' * 150}{n}, tool_name_glob: t{n}.{'y' * 400}, verdict: V{n % 2}}}\n"
        for n in range(150)
    )
    write(
        tmp_path / "old",
        f"default_verdict: audit\nrules:\n{rules}".replace("V0", "deny").replace("V1", "allow"),
    )
    write(
        tmp_path / "new",
        f"default_verdict: audit\nrules:\n{rules}".replace("V0", "allow").replace("V1", "deny"),
    )
    comment = policyc("diff", "old", "new", "--format", "markdown").out
    assert len(comment.encode()) < 60_000
    assert "75 loosened, 75 tightened" in comment
    assert "more parts do not fit here" in comment
    assert comment.index("<b>loosened</b>") < comment.find("<b>tightened</b>") % 10**6


def test_what_is_not_known_is_said_and_can_fail(policyc, tmp_path):
    policy = """\
default_verdict: audit
rules:
  - priority: 1
    tool_name_glob: shell.exec
    args_match: {clauses: [{path: $.command, op: shell, value: {program: NAME, writes: /etc/**}}]}
    verdict: deny
"""
    write(tmp_path / "old", policy.replace("NAME", "tee"))
    write(tmp_path / "new", policy.replace("NAME", "[tee, dd]"))
    answer = policyc("diff", "old", "new", "--fail-on", "unknown", "--format", "json")
    assert answer.json["rest"] == "unknown"
    assert answer.json["unknown"]
    assert answer.code == 1
    assert policyc("diff", "old", "new").code == 0


def test_a_comparison_does_not_wait_for_the_server_s_modules():
    code = (
        "import sys, policyc.cli.diff, policyc.cli.replay\n"
        "print({'httpx', 'policyc_server'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
