# ruff: noqa: E501  (tables)
"""The operator: all keys hold for one simple command; True, False, or None where it cannot be known."""

import pytest

from policyc.engine.shell import KEYS, check, matches, shell_facts

RM = {"program": "rm", "all_flags": ["-r", "-f"]}
ANY = [
    # the first seed gate, `"rm -rf" in str(args)`
    (RM, "rm -rf x", True),
    (RM, "rm -fr x", True),
    (RM, "rm -r --force x", True),
    (RM, "farm -rf x", False),
    (RM, "git commit -m 'no rm -rf here'", False),
    (RM, "rm -r x; ls -f", False),
    (RM, "a=rm; $a -rf x", True),
    (RM, "rm $X", None),
    (RM, "rm -r \"/x$X\"", False),
    (RM, "rm -- $X", False),
    (RM, "$X -rf y", None),
    (RM, "$X y", None),
    (RM, "if (", None),
    (RM, "rm -rf x\nif (", True),
    (RM, "curl u | sh", None),
    # the second, `"/private/" in path`
    ({"reads": "/private/**"}, "cat /private/x", True),
    ({"reads": "/private/**"}, "cd / && cat private/../private/x", True),
    ({"reads": "/private/**"}, "cat < /private/x", True),
    ({"reads": "/private/**"}, "cp -r / /tmp/x", True),
    ({"reads": "/private/**"}, "cat /privat?/x", None),
    ({"reads": "/private/**"}, "cat $X", None),
    ({"reads": "/private/**"}, "cat /public/x", False),
    ({"reads": "/private/**"}, "echo /private/x", False),
    # keys
    ({"program": ["rm", "rmdir"]}, "rmdir x", True),
    ({"program": "mkfs*"}, "mkfs.ext4 /dev/sda", True),
    ({"program": ["*", "!git", "!ls"]}, "git status; ls", False),
    ({"program": ["*", "!git", "!ls"]}, "git status; cat x", True),
    ({"program": "git", "args": ["push"]}, "git -C x push", True),
    ({"program": "git", "args": "stash drop"}, "git stash drop", True),
    ({"program": "git", "args": ["stash", ["drop", "clear"]]}, "git stash clear", True),
    ({"program": "git", "args": ["stash", ["drop", "clear"]]}, "git stash", False),
    ({"program": "git", "args": ["stash", "drop"]}, "git stash $X", None),
    ({"program": "git", "args": ["push"]}, "git $X", None),
    ({"program": "git", "args": ["push"]}, "git commit -m push", False),
    ({"args": ["push"]}, "$G push", True),
    ({"program": "git", "any_flag": ["-f", "--force*"]}, "git push --force-with-lease", True),
    ({"program": "curl", "any_flag": "--request=DELETE"}, "curl -X DEL''ETE u", True),
    ({"program": "curl", "any_flag": "-X=DELETE"}, "m=DELETE; curl -sX$m u", True),
    ({"program": "curl", "any_flag": "--request=DELETE"}, "curl -X \"$M\" u", None),
    ({"program": "curl", "any_flag": "--request=DELETE"}, "curl -X GET u", False),
    ({"program": "npm", "no_flag": "--dry-run"}, "npm publish --dry-run", False),
    ({"program": "npm", "no_flag": "--dry-run"}, "cd x; npm publish --dry-run", False),
    ({"program": "npm", "no_flag": "--dry-run"}, "npm publish; ls --dry-run", True),
    ({"program": "npm", "no_flag": "--dry-run"}, "npm publish $X", True),
    ({"program": "npm", "no_flag": "--dry-run"}, "npm publish -- --dry-run", True),
    ({"program": "npm", "no_flag": "--dry-run"}, "npm publish --dry-run=false", True),
    ({"program": "npm", "no_flag": "--dry-run"}, "npm publish --dry-run --no-dry-run", True),
    ({"program": "kubectl", "no_flag": "--dry-run=client"}, "kubectl delete x --dry-run=client", False),
    ({"program": "kubectl", "no_flag": "--dry-run=client"}, "kubectl delete x --dry-run=client --dry-run=none", True),
    ({"program": "kubectl", "no_flag": "--dry-run=client"}, "kubectl delete x -n --dry-run=client", True),
    ({"program": "rm", "dynamic": "flag"}, "rm $X-rf y", True),
    ({"program": "rm", "dynamic": "flag"}, "rm $@-rf y", True),
    ({"program": "git", "dynamic": "flag"}, "git push --fo${X}rce", True),
    ({"program": "rm", "dynamic": "flag"}, "rm $X y", False),
    ({"program": "rm", "dynamic": "flag"}, "rm $X-report.txt", False),
    ({"program": "rm", "dynamic": "flag"}, "rm -- $X-rf", False),
    ({"program": "make", "dynamic": "flag"}, "make -j$(nproc)", False),
    ({"program": "git", "operand": "+*"}, "git push origin +HEAD:main", True),
    ({"program": "git", "operand": "+*"}, "git push origin $X", None),
    ({"program": "git", "operand": "+*"}, "git push origin main", False),
    ({"operand": ".env"}, "x .en*", None),
    ({"operand": ".env"}, "x *.py", False),
    ({"deletes": "/"}, "rm -rf /", True),
    ({"deletes": "/"}, "rm -rf //./x/..", True),
    ({"deletes": "/*"}, "rm -rf /*", True),
    ({"deletes": "~"}, "rm -rf ~", True),
    ({"deletes": ["**", "!./**"]}, "rm -rf build ./x", False),
    ({"deletes": ["**", "!./**"]}, "rm -rf ../x", True),
    ({"deletes": ["**", "!./**"]}, "rm -rf $X", None),
    ({"deletes": ["**", "!./**"]}, "rm -rf ..", True),
    ({"deletes": ["**", "!./**"]}, "rm -rf ./*", False),
    ({"deletes": ["**", "!./**"]}, "rm -rf ../*", None),
    ({"deletes": "./.git/**"}, "rm -rf .", True),
    ({"deletes": "~/.ssh/**"}, "rm -rf ~", True),
    ({"deletes": "~/.ssh/**"}, "rm -rf ~/x", False),
    ({"deletes": "**/.git/**"}, "rm -rf build", False),
    ({"deletes": "**/*.pem"}, "rm *.pem", True),
    ({"deletes": "**/.env"}, "rm *", False),
    ({"deletes": "**/.env"}, "rm .*", None),
    ({"deletes": "**/.env"}, "find . -delete", False),
    ({"deletes": "**/x.tmp"}, "find . -name '*.tmp' -delete", None),
    ({"writes": "**/.git/**"}, "echo x > ./.git/../.git/config", True),
    ({"writes": "/etc/**"}, "echo x | sudo tee /etc/hosts", True),
    ({"pipes_to": ["sh", "bash"]}, "curl u | bash", True),
    ({"program": "curl", "pipes_to": ["sh", "bash"]}, "curl u | jq . | sudo bash", True),
    ({"program": "curl", "pipes_to": ["sh", "bash"]}, "curl u | $X", None),
    ({"program": "curl", "pipes_to": ["sh", "bash"]}, "curl u | jq .; bash -c ls", False),
    ({"code": "os\\.system"}, "python -c 'import os; os.system(x)'", True),
    ({"code": "os\\.system"}, "python -c \"$X\"", None),
    ({"code": "os\\.system"}, "python x.py", False),
    ({"dynamic": True}, "rm $X", True),
    ({"dynamic": True}, "rm x", False),
    ({"dynamic": False}, "rm x", True),
    ({"program": "rm", "dynamic": "operand"}, "rm $X", True),
    ({"dynamic": ["program", "code"]}, "rm $X", False),
    (RM, "", False),
    (RM, "x=1", False),
    (RM, "Remove-Item -Recurse -Force x", None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "line", "expected"), ANY)
def test_any(value, line, expected):
    assert check(value) is None
    assert matches(value, shell_facts(line, cwd="/w/repo", home="/home/u"), "any") is expected


GIT = {"program": ["git", "ls"]}
ALL = [
    (GIT, "git status", True),
    (GIT, "git status; ls | ls", True),
    (GIT, "git status; curl x | sh", False),
    (GIT, "git status $(rm x)", False),
    (GIT, "git status > $(ls)", True),
    (GIT, "env git status", True),
    (GIT, "sudo git status", False),
    (GIT, "bash -c 'git status'", False),
    (GIT, "git status; $X", None),
    (GIT, "git status\nif (", None),
    (GIT, "rm x\nif (", False),
    (GIT, "", False),
    (GIT, "x=1", False),
    (GIT, "git() { rm x; }; git status", False),
    ({"writes": "./**"}, "tee a b", True),
    ({"writes": "./**"}, "tee a /etc/b", False),
    ({"writes": "./**"}, "tee a $X", None),
    ({"writes": "./**"}, "tee ./a*", True),
    ({"writes": "./*"}, "tee ./a*/b", None),
    ({"program": "rm", "deletes": "./**"}, "rm -rf x/..", True),
    ({"program": "rm", "deletes": "./**"}, "rm -rf x/../..", False),
]


@pytest.mark.parametrize(("value", "line", "expected"), ALL)
def test_all(value, line, expected):
    assert matches(value, shell_facts(line, cwd="/w/repo", home="/home/u"), "all") is expected


WRONG = [
    ([], "object"), ("rm", "object"), ({}, "at least one key"), ({"programm": "rm"}, "programm"), ({"program": []}, "program"),
    ({"program": 1}, "a number"), ({"program": ["rm", None]}, "null"), ({"args": []}, "leading words"), ({"args": [1]}, "a number"),
    ({"any_flag": "f"}, "dashes"), ({"deletes": "!"}, "negated"), ({"reads": "a/../b"}, "without `..`"), ({"code": "(?=x)"}, "lookahead"),
    ({"dynamic": "maybe"}, "dynamic"), ({"operand": ""}, "empty"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "said"), WRONG)
def test_what_is_wrong_with_a_value(value, said):
    assert said in check(value)


def test_the_keys():
    assert list(KEYS) == [
        "program",
        "args",
        "all_flags",
        "any_flag",
        "no_flag",
        "operand",
        "deletes",
        "writes",
        "reads",
        "pipes_to",
        "code",
        "dynamic",
    ]


def test_overlap_is_never_false_wrongly():
    from policyc.engine.shell.overlap import may_overlap

    rows = [("*x*", "a?x", True), ("/a/*", "/*/b", True), ("*.py", "*.txt", False), ("/x", "/[xy]", True), ("a*", "b*", False),
            ("*/.env", "/w/*", False), ("*/.env", "/w/.*", True), ("*/.env", "/w/**", True), ("/a/b/c", "/a/*", False), ("", "a*", False)]  # fmt: skip
    for pattern, glob, expected in rows:
        assert may_overlap(pattern, glob) is expected, (pattern, glob)
