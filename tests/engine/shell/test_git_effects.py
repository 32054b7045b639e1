"""The files that git writes below its everyday commands, and what it takes for a path."""

import pytest

from policyc.engine.shell import shell_facts

# line, writes
TABLE = [
    ("git log --output=a", "/w/repo/a"),
    ("git shortlog --output=a", "/w/repo/a"),
    ("git diff --output=../a HEAD", "/w/a"),
    ("git format-patch --output-directory=out -3", "/w/repo/out"),
    ("git bundle create a.bundle --all", "/w/repo/a.bundle"),
    ("git bundle verify a.bundle", ""),
    ("git checkout-index -fa", "/w/repo"),
    ("git checkout-index -f a", "/w/repo/a"),
    ("git read-tree --reset -u HEAD", "/w/repo"),
    ("git read-tree HEAD", ""),
    ("git checkout v1.2.3", ""),
    ("git checkout release-2.0", ""),
    ("git checkout 3.1.0-rc.1", ""),
    ("git checkout a-1.2.tar.gz", "/w/repo/a-1.2.tar.gz"),
    ("git checkout setup.py", "/w/repo/setup.py"),
]


@pytest.mark.parametrize(("line", "writes"), TABLE, ids=[row[0] for row in TABLE])
def test_writes(line, writes):
    (command,) = shell_facts(line, cwd="/w/repo", home="/home/u").commands
    assert " ".join(path or "?" for path in command.writes) == writes
