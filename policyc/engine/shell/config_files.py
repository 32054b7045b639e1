"""Options that a program reads from a file of the line, or loads as code: curl, openssl, nmap."""

from __future__ import annotations

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic
from policyc.engine.shell.interpreters import LANGUAGES
from policyc.engine.shell.options import parse
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import look_into

_SETTING = lazy_pattern(r"[ \t]*-{0,2}([\w\-]+)[ \t]*[=: \t]?[ \t]*(?:\"((?:[^\"\\]|\\.)*)\"|(\S*))")


def run_curl(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``curl -K file``: the options in a file that the line wrote, or in the input."""
    shell.add(command)
    for file in command.arguments.value_of("--config"):
        text = shell.stdin if file in ("-", "/dev/stdin") else shell.written(file)
        text = getattr(file, "text", text)
        if isinstance(text, Dynamic):
            command.code_unknown = True
            shell.unknown_command()
        elif text is not None:
            command.arguments = parse("curl", [*command.fields[1:], *_settings(text)])
    return UNKNOWN


def _settings(text: str) -> list[str | Dynamic]:
    """``output = "x"`` is ``--output x``."""
    words: list[str | Dynamic] = []
    for line in text.splitlines():
        found = _SETTING.match(line)
        if found is not None and line.lstrip()[:1] != "#":
            dashes = "-" if len(found[1]) == 1 else "--"
            value = found[2] if found[2] is not None else found[3]
            words += [dashes + found[1], *([value] if value else [])]
    return words


def run_openssl(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``-engine ./x.so`` loads a library."""
    shell.add(command)
    values = command.arguments.value_of("-engine", "-provider", "-provider-path")
    command.code_unknown = any(isinstance(value, Dynamic) or "/" in value for value in values)
    return UNKNOWN


def run_nmap(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``--script ./x.nse`` is code in Lua."""
    shell.add(command)
    for file in command.arguments.value_of("--script"):
        text = shell.written(file)
        command.code_unknown = command.code_unknown or isinstance(text, Dynamic) or isinstance(file, Dynamic)
        if isinstance(text, str):
            look_into(shell, command, LANGUAGES["lua"], text)
    return UNKNOWN
