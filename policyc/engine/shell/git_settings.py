"""git's aliases, settings and options that run commands."""

from __future__ import annotations

from policyc.engine.shell.command_options import carried, git_transport
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import Dynamic
from policyc.engine.shell.options import parse
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import joined, run_code


def run_settings(shell: Running, command: SimpleCommand) -> None:
    """Runs what the options and operands say: ``git -c alias.p='push --force' p`` runs the alias."""
    arguments = command.arguments
    for setting in arguments.value_of("-c", "--config-env"):
        if isinstance(setting, Dynamic):
            continue
        key, _, value = setting.partition("=")
        name = key[6:] if key.lower().startswith("alias.") else None
        if value[:1] == "!" and (name is not None or key.lower().startswith("core.")):
            run_code(shell, command, "sh", value[1:], None)
        elif name is not None and name in arguments.operands:
            at = command.fields.index(name)
            shell.dispatch(
                ["git", *value.split(), *command.fields[at + 1 :]],
                command.redirected_from,
                command.redirected_to,
            )
        elif key.lower() in _GIT_COMMANDS:
            run_code(shell, command, "sh", value, None)
    carried(shell, command)
    git_transport(shell, command)
    operands = arguments.operands
    if operands[:1] == ["config"]:
        _git_setting(shell, command, operands)
    if operands[:2] in (["submodule", "foreach"], ["bisect", "run"]):
        _git_each(shell, command, str(operands[1]))
    if operands[:1] == ["filter-branch"] and operands[2:]:
        run_code(shell, command, "sh", joined(operands[2:]), None)


def _git_each(shell: Running, command: SimpleCommand, verb: str) -> None:
    """``git bisect run cmd arg...``, ``git submodule foreach cmd arg...``: one word alone is code."""
    words = command.fields[command.fields.index(verb) + 1 :]
    while words and isinstance(words[0], str) and words[0][:1] == "-":
        words = words[1:]
    command.arguments = parse("git", command.fields[1 : len(command.fields) - len(words)])
    if len(words) == 1:
        run_code(shell, command, "sh", words[0], None)
    elif words:
        shell.dispatch(words)


def _git_setting(shell: Running, command: SimpleCommand, operands: list[str | Dynamic]) -> None:
    """``git config alias.x '!rm y'``: what git will run counts as run."""
    for key, value in zip(operands[1:], operands[2:]):  # noqa: RUF007  (pairwise came with Python 3.10)
        text = value if isinstance(value, str) else value.template
        if isinstance(key, str) and text[:1] == "!":
            run_code(shell, command, "sh", text[1:], None)
        elif isinstance(key, str) and key.lower() in _GIT_COMMANDS:
            run_code(shell, command, "sh", value, None)


_GIT_COMMANDS = frozenset(
    {"core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "sequence.editor", "diff.external"}
)
