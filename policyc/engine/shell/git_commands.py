"""git: most of its commands run no other; git_settings.py knows those that do."""

from __future__ import annotations

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import Dynamic, Glob, Listing
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running

_RUNNING = ("config", "submodule", "bisect", "filter-branch")


def _git(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    operands = command.arguments.operands
    if command.arguments.values or any(map(_may_run, operands)):
        from policyc.engine.shell.git_settings import run_settings

        run_settings(shell, command)
    if operands == ["ls-files"] and shell.variables.cwd is not None:
        return Listing([Glob("**")])
    return output_of("git", command.fields, None)


def _may_run(operand: str | Dynamic) -> bool:
    return isinstance(operand, str) and (operand in _RUNNING or operand.startswith("ext::"))


PROGRAMS = {"git": _git}
