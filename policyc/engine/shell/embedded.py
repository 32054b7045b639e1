# ruff: noqa: E501  (tables)
"""Programs with a shell command in their scripts or settings: make, sed, editors, and variables that name one."""

from __future__ import annotations

import re
from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.code_variables import VARIABLES
from policyc.engine.shell.command_options import CARRIERS, run_carrier
from policyc.engine.shell.config_files import run_curl, run_nmap, run_openssl
from policyc.engine.shell.editors import run_editor, run_less
from policyc.engine.shell.effects_table import DEVICES
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import HOLE, UNKNOWN, Dynamic
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import run_code
from policyc.engine.shell.sed_script import SedScript

_MAKE_RUNS = lazy_pattern(
    r"\$[({]shell +([^)}\n]{0,1000})[)}]|^[^\t\n=:]{0,200}!=([^\n]+)|^[^\t\n:=#]+:[^\n;=]*;([^\n]+)",
    re.MULTILINE,
)
#: A variable of make in a recipe.
_MAKE_NAME = lazy_pattern(r"(?<!\$)\$(?:[@<^?*+]|[({][^)}\n]{0,200}[)}])")
#: What stands for a part of the text that sed works on.
_SED_PART = lazy_pattern(r"\\[0-9]|(?<!\\)&")


def assigned(shell: Running, name: str, value: object) -> None:
    """A variable was set: what other programs will run of it counts as run."""
    run = VARIABLES.get(name)
    if run is not None and isinstance(value, (str, Dynamic)) and value != "":
        run(shell, value)


def _make(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """A makefile that the line wrote, or gives on the input or in an option: all its recipes."""
    shell.add(command)
    folder = (command.arguments.value_of("--directory") or [""])[-1]
    named = command.arguments.value_of("--file")
    for file in named or ["GNUmakefile", "makefile", "Makefile"]:
        _makefile(shell, command, _makefile_text(shell, file, folder))
    for text in command.arguments.value_of("--eval"):
        _makefile(shell, command, text)
    for word in command.arguments.operands:
        setting = word if isinstance(word, str) else word.template
        if setting.startswith(("SHELL=", ".SHELLFLAGS=")):
            text = setting.partition("=")[2]
            run_code(shell, command, "sh", text if isinstance(word, str) else Dynamic("", True, text), None)
    return UNKNOWN


def _makefile_text(shell: Running, file: str | Dynamic, folder: str | Dynamic) -> str | Dynamic | None:
    if file in ("-", "/dev/stdin"):
        return shell.stdin
    if isinstance(file, Dynamic) or isinstance(folder, Dynamic):
        return shell.written(UNKNOWN)
    return getattr(file, "text", None) or shell.written(f"{folder}/{file}" if folder else file)


def _makefile(shell: Running, command: SimpleCommand, text: str | Dynamic | None) -> None:
    """All recipes, and what ``$(shell ...)`` and ``!=`` run when the file is read."""
    if isinstance(text, Dynamic):
        command.code_unknown = True
        shell.unknown_command()
    elif text is not None:
        recipes = [line.lstrip("\t@-+") for line in text.splitlines() if line[:1] == "\t"]
        recipes += [found.strip() for groups in _MAKE_RUNS.findall(text)[:64] for found in groups if found]
        run_code(shell, command, "sh", _MAKE_NAME.sub(HOLE, "\n".join(recipes)).replace("$$", "$"), None)


def _sed(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """GNU sed runs, reads and writes by commands in its script."""
    shell.add(command)
    arguments = command.arguments
    scripts = arguments.value_of("--expression")
    for file in arguments.value_of("--file"):
        text = shell.stdin if file in ("-", "/dev/stdin") else shell.written(file)
        scripts += [] if text is None else [text]
    for script in scripts or arguments.operands[: not arguments.has("--file")]:
        if isinstance(script, str):
            _sed_script(shell, command, SedScript(script))
        else:
            command.code_unknown = True
    return output_of(command.program, command.fields, shell.stdin)


def _sed_script(shell: Running, command: SimpleCommand, script: SedScript) -> None:
    resolve = command.place.resolve
    command.redirected_from += tuple(resolve(path) for path in script.reads if path not in DEVICES)
    command.redirected_to += tuple(resolve(path) for path in script.writes if path not in DEVICES)
    for text in script.runs:
        run_code(shell, command, "sh", text, None)
    for text in script.replaced:
        run_code(shell, command, "sh", Dynamic("", True, _SED_PART.sub(HOLE, text)), None)
    if script.pattern_runs and not script.replaced:
        shell.unknown_command()


def _hash(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``hash -p file name`` makes a name mean another program: from here on nothing is sure."""
    shell.add(command)
    if "-p" in command.flags:
        shell.unknown_command()
    return ""


PROGRAMS: dict[str, Callable[[Running, SimpleCommand], "str | Dynamic"]] = {
    **dict.fromkeys(CARRIERS, run_carrier),
    **dict.fromkeys(("make", "gmake"), _make),
    **dict.fromkeys(
        ("vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim", "rvim", "ed", "red", "ne"), run_editor
    ),
    "less": run_less,
    "curl": run_curl,
    "openssl": run_openssl,
    "nmap": run_nmap,
    **dict.fromkeys(("sed", "gsed"), _sed),
    "hash": _hash,
}
