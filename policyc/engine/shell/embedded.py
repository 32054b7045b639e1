# ruff: noqa: E501  (tables)
"""Programs with a shell command somewhere in their options, scripts or settings: tar, rsync, make, vim, sed."""

from __future__ import annotations

import re
from collections.abc import Callable

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import run_code

#: Variables whose value other programs run.
COMMAND_VARIABLES = frozenset(
    [
        "PAGER",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "GIT_PAGER",
        "GIT_EDITOR",
        "GIT_SSH_COMMAND",
        "GIT_SSH",
        "GIT_EXTERNAL_DIFF",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_SEQUENCE_EDITOR",
        "GIT_PROXY_COMMAND",
        "MANPAGER",
        "LESSOPEN",
        "PROMPT_COMMAND",
        "RSYNC_RSH",
        "CARGO_BUILD_RUSTC_WRAPPER",
    ]
)

_SED_RUNS = re.compile(r"(?:^|[;{}\n]|[0-9$/]) *e +([^\n]+)")


def assigned(shell: Running, name: str, value: object) -> None:
    """A variable was set: what other programs will run of it counts as run."""
    if name in COMMAND_VARIABLES and isinstance(value, (str, Dynamic)) and value != "":
        run_code(shell, None, "sh", value, None)


def _tar(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    for value in command.arguments.value_of(
        "--checkpoint-action", "--to-command", "--use-compress-program", "-I"
    ):
        text = value if isinstance(value, str) else value.template
        run_code(shell, command, "sh", text[5:] if text.startswith("exec=") else value, None)
    return UNKNOWN


def _rsync(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    for value in command.arguments.value_of("--rsh"):
        if value != "ssh":
            run_code(shell, command, "sh", value, None)
    return UNKNOWN


def _make(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """A makefile that the line wrote, or gives on the input: all its recipes."""
    shell.add(command)
    files = command.arguments.value_of("--file") or ["Makefile", "makefile"]
    for file in files:
        text = shell.stdin if file == "-" else shell.known_file(file)
        if isinstance(text, Dynamic):
            shell.unknown_command()
        elif text is not None:
            recipes = [line.lstrip("\t@-+") for line in text.splitlines() if line[:1] == "\t"]
            run_code(shell, command, "sh", "\n".join(recipes).replace("$$", "$"), None)
    return UNKNOWN


def _vim(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    fields = command.fields
    for at, word in enumerate(fields[1:], 1):
        if (
            isinstance(word, str)
            and (word[:1] == "+" or fields[at - 1] in ("-c", "--cmd", "-S"))
            and "!" in word
        ):
            run_code(shell, command, "sh", word.partition("!")[2], None)
    return UNKNOWN


def _sed(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """GNU sed's command ``e`` runs one of the shell."""
    shell.add(command)
    arguments = command.arguments
    for script in arguments.value_of("--expression") or arguments.operands[:1]:
        if isinstance(script, str):
            for found in _SED_RUNS.findall(script)[:16]:
                run_code(shell, command, "sh", found, None)
    return UNKNOWN


def _hash(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``hash -p file name`` makes a name mean another program: from here on nothing is sure."""
    shell.add(command)
    if "-p" in command.flags:
        shell.unknown_command()
    return ""


EMBEDDED: dict[str, Callable[[Running, SimpleCommand], "str | Dynamic"]] = {
    **dict.fromkeys(("tar", "gtar"), _tar),
    "rsync": _rsync,
    **dict.fromkeys(("make", "gmake"), _make),
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view"), _vim),
    **dict.fromkeys(("sed", "gsed"), _sed),
    "hash": _hash,
}
