"""Wrapping a command that is stopped never weakens the verdict."""

import base64
import shlex

import pytest
from bundle_cases import STRICTNESS, decide_line
from hypothesis import given, settings
from hypothesis import strategies as st

AGENT = "examples/coding-agent"
STOPPED = [
    "rm -rf /srv/data", "rm -rf src", "git reset --hard", "git push --force origin topic", "git clean -fdx",
    "git branch -D topic", "mkfs.ext4 /dev/sdb1", "dd if=/dev/zero of=/dev/sda", "chmod -R 777 /etc",
    "terraform destroy", "kubectl delete namespace staging", "docker system prune -af", "npm publish",
    "cat .env", "cat /home/ann/.ssh/id_rsa", "shutdown -h now", "crontab -r", "iptables -F", "userdel bob",
    "find . -name x -delete", "aws s3 rb s3://logs", "redis-cli FLUSHALL", "tee .claude/settings.json",
]  # fmt: skip


def _in_quotes(command: str) -> str:
    return " ".join(f"{word[:1]}''{word[1:]}" for word in command.split())


WRAPPERS = {
    "sh -c": lambda command: f"sh -c {shlex.quote(command)}",
    "bash -lc": lambda command: f"bash -lc {shlex.quote(command)}",
    "env": lambda command: f"env X=1 {command}",
    "assignment": lambda command: f"X=1 {command}",
    "sudo": lambda command: f"sudo {command}",
    "timeout": lambda command: f"timeout 5 {command}",
    "substitution": lambda command: f"echo $({command})",
    "backquotes": lambda command: f"echo `{command}`",
    "quotes": _in_quotes,
    "xargs": lambda command: f"echo x | xargs -n1 sh -c {shlex.quote(command)}",
    "heredoc": lambda command: f"bash <<'E'\n{command}\nE",
    "here-string": lambda command: f"bash <<< {shlex.quote(command)}",
    "cd": lambda command: f"cd . && {command}",
    "pipeline": lambda command: f"true | {command}",
    "list": lambda command: f"git status; {command} || true",
    "subshell": lambda command: f"( {command} )",
    "background": lambda command: f"{command} &",
    "function": lambda command: f"f() {{ {command}; }}; f",
    "eval": lambda command: f"eval {shlex.quote(command)}",
    "base64": lambda command: f"echo {base64.b64encode(command.encode()).decode()} | base64 -d | sh",
    "if": lambda command: f"if true; then {command}; fi",
}


def _strictness(command: str) -> int:
    return STRICTNESS.index(decide_line(AGENT, command).verdict)


@pytest.mark.parametrize("command", STOPPED)
def test_it_is_stopped(command):
    assert decide_line(AGENT, command).verdict in ("deny", "pending_approval")


@pytest.mark.parametrize("name", WRAPPERS)
def test_one_wrapper(name):
    weakened = [c for c in STOPPED if _strictness(WRAPPERS[name](c)) < _strictness(c)]
    assert not weakened


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(STOPPED), st.lists(st.sampled_from(sorted(set(WRAPPERS) - {"quotes"})), max_size=3))
def test_wrappers_in_wrappers(command, names):
    wrapped = command
    for name in names:
        # A prefix takes a simple command, and a heredoc's end stays on a line of its own.
        wrapped = WRAPPERS[name](WRAPPERS["sh -c"](wrapped))
    assert _strictness(wrapped) >= _strictness(command)
