"""Commands that a program runs on another machine, or on the one around its container."""

from __future__ import annotations

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import after_flag, joined, run_code, run_input
from policyc.engine.shell.wrappers_table import Wrapper


def run_elsewhere(shell: Running, command: SimpleCommand, words: list[str | Dynamic]) -> str | Dynamic:
    """Runs ``words``, which another shell reads as one text: its paths are not ours, but what it does counts.
    Without words it reads its input."""
    outer, shell.variables = shell.variables, shell.variables.copy()
    shell.variables.home = None
    shell.variables.set("TMPDIR", UNKNOWN)
    shell.variables.go("")
    run_code(shell, command, "sh", joined(words), None) if words else run_input(shell, command, [])
    shell.variables = outer
    return UNKNOWN


class Remote:
    """``verbs`` come before the command, or the option ``code`` (a letter, a long name) holds it."""

    __slots__ = ("code", "verbs", "wrapper")

    def __init__(
        self, verbs: str = "", wrapper: Wrapper | None = None, code: tuple[str, str] = ("", "")
    ) -> None:
        self.verbs = verbs.split()
        self.wrapper = wrapper
        self.code = code


#: Sources: the manual pages of these programs.
REMOTES: dict[str, Remote] = {
    "adb": Remote("shell", Wrapper()),
    "ansible": Remote(code=("a", "--args")),
    "az": Remote("vm run-command invoke", code=("s", "--scripts")),
    "clush": Remote("", Wrapper("w x g l f t u")),
    "distrobox": Remote("enter", Wrapper("n name a additional-flags", skip=1)),
    "flatpak-spawn": Remote("", Wrapper()),
    **dict.fromkeys(("fly", "flyctl"), Remote("ssh console", code=("C", "--command"))),
    "gcloud": Remote("compute ssh", code=("c", "--command")),
    "heroku": Remote("run", Wrapper("a app r remote s size e env")),
    "lima": Remote("", Wrapper()),
    "limactl": Remote("shell", Wrapper("shell workdir", skip=1)),
    "machinectl": Remote("shell", Wrapper("M machine H host E setenv uid", skip=1)),
    "multipass": Remote("exec", Wrapper("d working-directory", skip=1)),
    "pdsh": Remote("", Wrapper("w x g l f t u")),
    **dict.fromkeys(("pssh", "parallel-ssh"), Remote("", Wrapper("h H l p o e t x"))),
    "salt": Remote("", Wrapper("t c", skip=2)),
    "systemd-nspawn": Remote(
        "", Wrapper("D directory M machine u user i image template bind bind-ro E setenv")
    ),
    **dict.fromkeys(("toolbox", "toolbx"), Remote("run", Wrapper("c container d distro r release"))),
    "vagrant": Remote("ssh", code=("c", "--command")),
    "wsl": Remote("", Wrapper("d distribution u user cd")),
}


def run_remote(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    remote = REMOTES[command.program or ""]
    words = _words(remote, command.fields)
    if words:
        return run_elsewhere(shell, command, words)
    shell.project(command)
    return output_of(command.program, command.fields, shell.stdin)


def _words(remote: Remote, fields: list[str | Dynamic]) -> list[str | Dynamic]:
    """The command for the other machine, if there is one."""
    at = 0
    for verb in remote.verbs:
        if verb not in fields[at + 1 :]:
            return []
        at = fields.index(verb, at + 1)
    rest = fields[at:]
    code = after_flag(rest, remote.code[0], remote.code[1]) if remote.code[1] else None
    if code is not None:
        return [code]
    if "--" in rest:
        return rest[rest.index("--") + 1 :]
    return remote.wrapper.inner(rest) if remote.wrapper is not None else []


PROGRAMS = dict.fromkeys(REMOTES, run_remote)
