"""What find finds, and what it runs on that."""

import pytest

from policyc.engine.shell import shell_facts

#: line, the operands of the last command
CASES = [
    ("find a -exec cat {} +", ("a",)),
    ("find a -name x -exec cat {} +", ("a/**/x",)),
    ("find a -name '*.x' -not -path './b/*' -exec cat {} +", ("a/**.x",)),
    ("find a ! -name y -exec cat {} +", ("a/**",)),
    ("find a -name x -o -name y -exec cat {} +", ("a/**/x", "a/**/y")),
    ("find a \\( -name x -o -name y \\) -type f -exec cat {} +", ("a/**/x", "a/**/y")),
    ("find a ! \\( -name x -o -name y \\) -exec cat {} +", ("a/**",)),
    ("find a -name x -o -path b -exec cat {} +", ("a/**",)),
    ("find a -path b -prune -o -name x -exec cat {} +", ("a/**/x",)),
    ("find a -name x -prune -exec cat {} +", ("a/**/x",)),
    ("find a -iname .ENV -exec cat {} +", ("a/**/.env",)),
    ("find a -name x -exec true {} \\; -o -name y -exec cat {} \\;", ("a/**/x", "a/**/y")),
    ("find a -name \"$X\" -exec cat {} +", ("a/**",)),
]  # fmt: skip


@pytest.mark.parametrize(("line", "operands"), CASES)
def test_results(line, operands):
    assert shell_facts(line, cwd="/w").commands[-1].operands == operands


@pytest.mark.parametrize(
    "line",
    ["find / -exec true \\; -delete", "find / -delete -exec true \\;", "find / -ok true {} \\; -delete"],
)
def test_it_deletes_whatever_else_it_runs(line):
    assert shell_facts(line, cwd="/w").commands[0].deletes == ("/",)


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("git bisect run rm -rf x", {"-r", "-f"}),
        ("git submodule foreach -q --recursive rm -rf x", {"-r", "-f"}),
        ("git submodule foreach 'rm -rf x'", {"-r", "-f"}),
    ],
)
def test_git_leaves_the_flags_to_what_it_runs(line, flags):
    git, rm = shell_facts(line, cwd="/w").commands
    assert rm.program == "rm"
    assert flags <= rm.flags
    assert not flags & git.flags
