# ruff: noqa: E501  (tables)
"""Flags in all their spellings, what they take, and what is left as operands."""

import pytest

from policyc.engine.shell import shell_facts
from policyc.engine.shell.options_table import headings, options_of

RM = {"-r", "-R", "--recursive", "-f", "--force"}
FLAGS = [
    ("rm -rf x", RM),
    ("rm -fr x", RM),
    ("rm -r -f x", RM),
    ("rm x -rf", RM),
    ("rm --recursive --force x", RM),
    ("rm --recurs --forc x", RM),
    ("rm -Rf x", RM),
    ("rm -r -- -f", {"-r", "-R", "--recursive"}),
    ("git push -f", {"-f", "--force"}),
    ("git -C x push --force", {"-f", "--force"}),
    ("git push -uf origin x", {"-u", "--set-upstream", "-f", "--force"}),
    ("git push --force-with-lease=a", {"--force-with-lease", "--force-with-lease=a"}),
    ("git clean -xfd", {"-x", "-f", "--force", "-d"}),
    ("git branch -D x", {"-D"}),
    ("git commit -am x", {"-a", "--all", "-m", "--message"}),
    ("docker system prune -af", {"-a", "--all", "-f", "--force"}),
    ("sed -i.bak s/a/b/ x", {"-i", "--in-place"}),
    ("find . -name x -delete", {"-name", "-delete"}),
    ("terraform destroy -auto-approve", {"-auto-approve"}),
    ("unlisted -abc", {"-abc", "-a", "-b", "-c"}),
    ("unlisted --long=1", {"--long", "--long=1"}),
    ("head -n5 x", {"-n", "--lines"}),
    ("podman rm -f x", {"-f", "--force"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "flags"), FLAGS)
def test_flags(line, flags):
    assert flags <= shell_facts(line, cwd="/w").commands[0].flags


NOT_FLAGS = [("rm -f x", "-r"), ("rm -- -r", "-r"), ("git -C -f push", "-f"), ("terraform plan -refresh", "-f"), ("git commit -m -f", "--force"),
             ("tail -n -f", "-f"), ("sudo -u x rm -f y", "-f"), ("docker exec -it c rm -f x", "-f")]  # fmt: skip


@pytest.mark.parametrize(("line", "flag"), NOT_FLAGS)
def test_what_is_no_flag(line, flag):
    assert flag not in shell_facts(line, cwd="/w").commands[0].flags


OPERANDS = [
    ("rm -rf a b", ("a", "b")),
    ("rm -- -a", ("-a",)),
    ("git -C x -c a=b push origin main", ("push", "origin", "main")),
    ("git --git-dir x push", ("push",)),
    ("kubectl -n prod delete pod x", ("delete", "pod", "x")),
    ("docker --context x rm y", ("rm", "y")),
    ("docker run -v a:b -e C=d image cmd", ("run", "image")),
    ("aws --region eu-west-1 s3 rm x", ("s3", "rm", "x")),
    ("terraform -chdir=x destroy", ("destroy",)),
    ("systemctl -H h stop x", ("stop", "x")),
    ("head -n 5 x", ("x",)),
    ("git commit -m 'a b' x", ("commit", "x")),
]


@pytest.mark.parametrize(("line", "operands"), OPERANDS)
def test_operands(line, operands):
    assert shell_facts(line, cwd="/w").commands[0].operands[: len(operands)] == operands


def test_leading_words_end_at_the_separator():
    assert shell_facts("git checkout -- x", cwd="/w").commands[0].args == ("checkout",)


@pytest.mark.parametrize("program", headings())
def test_the_table_is_well_formed(program):
    names = [name for entry in options_of(program).split() for name in entry.rstrip(":").split("|")]
    assert all(names)
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
