"""Programs that run a shell command from the value of an option, or from the options of ssh."""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import Dynamic
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import run_code

#: Options whose value is a command for the shell. Their spellings stand in ``options_table.py``.
_TABLE = """
tar --to-command --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command
rsync --rsh --rsync-path
man --pager --html
zip --unzip-command
sort --compress-program
split --filter
rg --pre
wget --use-askpass
nodemon --exec
git --receive-pack --upload-pack --extcmd --exec
cargo --shell
scp -S
sftp -S
tcpdump --postrotate-command
nc --exec --sh-exec
ncat --exec --sh-exec
openvpn --up --down --route-up --client-connect
fzf --preview
hyperfine --prepare --setup --cleanup --conclude
borg --rsh
mosh --ssh
"""

_OPTIONS: dict[str, tuple[str, ...]] = {}
for _line in _TABLE.split("\n"):
    if _line:
        _program, *_names = _line.split()
        _OPTIONS[_program] = tuple(_names)
_OPTIONS["gtar"] = _OPTIONS["bsdtar"] = _OPTIONS["tar"]
_OPTIONS["netcat"] = _OPTIONS["nc"]

#: Programs of the table that have no handler of their own.
CARRIERS = frozenset(_OPTIONS) - {"git", "cargo", "hyperfine"}

_SSH_COMMAND = lazy_pattern(
    r"(?:proxycommand|localcommand|remotecommand|knownhostscommand|match\s+exec)[\s=]+(.+)", re.IGNORECASE
)
_SSH_PROGRAMS = frozenset({"scp", "sftp"})
_QUIET = frozenset({"", "none", "ssh"})


def carried(shell: Running, command: SimpleCommand) -> None:
    """Runs what the command's options carry."""
    arguments = command.arguments
    for value in arguments.value_of(*_OPTIONS.get(command.program or "", ())):
        if value not in _QUIET:
            run_code(shell, command, "sh", value, None)
    for value in arguments.value_of("--checkpoint-action"):
        text = value if isinstance(value, str) else value.template
        if text.startswith("exec="):
            code = text[5:] if isinstance(value, str) else Dynamic("", True, text[5:])
            run_code(shell, command, "sh", code, None)


def ssh_options(shell: Running, command: SimpleCommand, values: list[str | Dynamic]) -> None:
    """``-o ProxyCommand=...`` and its like run here, not on the other host."""
    for value in values:
        found = _SSH_COMMAND.match(value if isinstance(value, str) else value.template)
        if found is not None and found[1].lower() not in _QUIET:
            text = found[1]
            run_code(shell, command, "sh", text if isinstance(value, str) else Dynamic("", True, text), None)


def git_transport(shell: Running, command: SimpleCommand) -> None:
    """``git clone 'ext::sh -c cmd'``: the address is a command."""
    for word in command.arguments.operands[1:]:
        if isinstance(word, str) and word.startswith("ext::"):
            run_code(shell, command, "sh", word[5:].replace("% ", "\\ "), None)


def run_carrier(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """A program of the table."""
    shell.add(command)
    values = command.arguments.value_of
    if command.program in _SSH_PROGRAMS:
        ssh_options(shell, command, values("-o"))
    carried(shell, command)
    return output_of(command.program, command.fields, shell.stdin)
