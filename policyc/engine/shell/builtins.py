"""Builtins of the shell that change what the walk knows, or run more."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.shell.embedded import assigned
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, Dynamic
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import run_code, run_file
from policyc.engine.shell.variables import TEMPORARY
from policyc.engine.shell.wrappers_table import WRAPPERS, Wrapper
from policyc.engine.shell.xargs_input import quoted_words

Builtin = Callable[[Running, SimpleCommand], "str | Dynamic"]


def _cd(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    variables = shell.variables
    target = next(
        (word for word in command.fields[1:] if not isinstance(word, str) or word[:1] != "-" or word == "-"),
        None,
    )
    here = variables.cwd
    if command.program == "pushd" or command.program == "cd":
        if target == TEMPORARY:
            variables.go(None)  # `cd ""`, where there is none, stays
        elif target == "-":
            variables.go(variables.folders[-1] if variables.folders else None)
        elif target is None and command.program == "cd":
            variables.go(variables.resolve("~"))
        else:
            variables.go(variables.resolve(target) if isinstance(target, str) and target[:1] != "+" else None)
        variables.folders.append(here)
        del variables.folders[:-8]
    else:
        variables.go(variables.folders.pop() if variables.folders else None)
    return ""


def _declare(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    exports = command.program == "export" or command.arguments.has("-x")
    for word in command.fields[1:]:
        text = word if isinstance(word, str) else word.leading
        name, equals, value = text.partition("=")
        if exports:
            shell.variables.exported |= {name}
        if equals:
            shell.variables.set(
                name.rstrip("+"), value if isinstance(word, str) and name[-1:] != "+" else UNKNOWN
            )
            assigned(shell, name, value if isinstance(word, str) else UNKNOWN)
    return ""


def _unset(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    for word in command.fields[1:]:
        if isinstance(word, str) and word[:1] != "-":
            if "-v" not in command.fields:
                shell.variables.functions.pop(word, None)
            if "-f" not in command.fields:
                shell.variables.set(word, "")
    return ""


def _set(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    words = command.fields[1:]
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            shell.variables.arguments(words[at + 1 :])
            return ""
        if not isinstance(word, str) or word[:1] not in ("-", "+"):
            break
        at += 2 if word in ("-o", "+o", "-euo", "-eo", "-uo", "-exo", "-euxo") else 1
    if at < len(words):
        shell.variables.arguments(words[at:])
    return ""


def _shift(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    positional = shell.variables.positional
    count = command.fields[1] if len(command.fields) > 1 else "1"
    if positional is not None:
        known = isinstance(count, str) and count.isdigit() and len(count) < 6
        shell.variables.arguments(positional[int(str(count)) :] if known else None)
    return ""


def _read(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    names = [word for word in command.operands if word is not None] or ["REPLY"]
    text = shell.stdin
    values: list[str | Dynamic] = [UNKNOWN] * len(names)
    if (
        isinstance(text, str)
        and text.count("\n") <= 1
        and command.program == "read"
        and not command.flags - {"-r"}
    ):
        pieces: list[str | Dynamic] = [*text.strip().split(None, len(names) - 1)]
        values = pieces + [""] * (len(names) - len(pieces))
    for name, value in zip(names, values):
        shell.variables.set(name, value)
    return ""


def _printf(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    fields = command.fields
    if fields[1:2] == ["-v"] and len(fields) > 3 and isinstance(fields[2], str):
        shell.variables.set(fields[2], output_of("printf", ["printf", *fields[3:]], None))
        return ""
    return output_of("printf", fields, None)


def _cat(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``cat file`` prints what this line wrote to the file."""
    shell.add(command)
    output = output_of("cat", command.fields, shell.stdin)
    if len(command.fields) == 2 and isinstance(command.fields[1], str) and isinstance(output, Dynamic):
        written = shell.known_file(command.fields[1]) if command.fields[1] != "-" else None
        return getattr(command.fields[1], "text", None) or (output if written is None else written)
    return output


def _tee(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    output = UNKNOWN if shell.stdin is None else shell.stdin
    for word in command.arguments.operands:
        shell.store(shell.path_of(word) or None, output, "-a" in command.flags)
    return output


def _copy(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """A file this line wrote is still known after ``cp`` and ``mv``."""
    shell.add(command)
    operands = command.arguments.operands
    if len(operands) == 2:
        text = shell.known_file(operands[0])
        if text is not None:
            shell.store(shell.path_of(operands[1]) or None, text, False)
    return ""


def _eval(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    words = command.fields[1:]
    if not words:
        return ""
    text = " ".join(word if isinstance(word, str) else word.template for word in words)
    known = all(isinstance(word, str) for word in words)
    return run_code(shell, command, "sh", text if known else Dynamic("", True, text), None, isolated=False)


def _source(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    if len(command.fields) < 2:
        return ""
    output = run_file(shell, command.fields[1], command.fields[2:], isolated=False, command=command)
    if output is None:
        shell.variables.forget()  # a file that cannot be seen may have set anything
        return UNKNOWN
    return output


def _trap(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    words = command.fields[1:]
    if words[:1] == ["--"]:
        words = words[1:]
    resets = (
        words[:1] in (["-"], [""]) or (isinstance(words[0], str) and words[0][:1] == "-") if words else True
    )
    if len(words) > 1 and not resets:
        run_code(shell, command, "sh", words[0], None, isolated=True)
    return ""


def _alias(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """What an alias stands for counts as run: it is, once aliases are expanded."""
    shell.add(command)
    for word in command.fields[1:]:
        text = word if isinstance(word, str) else word.template
        _name, equals, value = text.partition("=")
        if equals:
            run_code(
                shell,
                command,
                "sh",
                value + " ${0}" if isinstance(word, str) else Dynamic("", True, value),
                None,
            )
    return ""


def _command(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``command -v x`` only asks; ``command x`` runs."""
    first = command.fields[1] if len(command.fields) > 1 else ""
    if isinstance(first, str) and first[:1] == "-" and ("v" in first or "V" in first):
        shell.add(command)
        return UNKNOWN
    inner = Wrapper().inner(command.fields)
    if not inner:
        shell.add(command)
        return ""
    return shell.dispatch(inner, command.redirected_from, command.redirected_to)


def _env(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``env -S 'rm -rf x'`` splits; ``-C`` changes the folder; alone it prints the environment."""
    fields = command.fields
    for at, word in enumerate(fields[1:], 1):
        if not isinstance(word, str) or (word[:1] != "-" and "=" not in word):
            break
        if word[:2] != "--" and word[:1] == "-" and "S" in word:
            split = word[word.index("S") + 1 :]
            rest = fields[at + 1 :] if split else fields[at + 2 :]
            return _env_split(shell, command, split or (fields[at + 1] if at + 1 < len(fields) else ""), rest)
        if word.startswith("--split-string"):
            value = word.partition("=")[2]
            rest = fields[at + 1 :] if value else fields[at + 2 :]
            return _env_split(shell, command, value or (fields[at + 1] if at + 1 < len(fields) else ""), rest)
    inner = WRAPPERS["env"].inner(fields)
    for word in fields[1 : len(fields) - len(inner)]:
        if isinstance(word, str) and "=" in word:
            assigned(shell, word.partition("=")[0], word.partition("=")[2])
    if not inner:
        shell.add(command)
        return UNKNOWN
    folders = (
        command.arguments.value_of("-C", "--chdir") if "-C" in fields or "--chdir" in command.flags else []
    )
    if folders:
        outer, shell.variables = shell.variables, shell.variables.copy()
        folder = folders[-1]
        shell.variables.go(shell.variables.resolve(folder) if isinstance(folder, str) else None)
        output = shell.dispatch(inner, command.redirected_from, command.redirected_to)
        shell.variables = outer
        return output
    return shell.dispatch(inner, command.redirected_from, command.redirected_to)


def _env_split(
    shell: Running, command: SimpleCommand, text: str | Dynamic, rest: list[str | Dynamic]
) -> str | Dynamic:
    if isinstance(text, Dynamic):
        shell.add(command)
        shell.unknown_command()
        return UNKNOWN
    words: list[str | Dynamic] = [
        Dynamic("", False, word) if "${" in word else word for word in quoted_words(text.replace("\\_", " "))
    ]
    return _env(
        shell, shell.command("env", ["env", *words, *rest], command.redirected_from, command.redirected_to)
    )


BUILTINS: dict[str, Builtin] = {
    **dict.fromkeys(("cd", "pushd", "popd"), _cd),
    **dict.fromkeys(("export", "declare", "local", "typeset", "readonly"), _declare),
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts"), _read),
    "printf": _printf,
    "cat": _cat,
    "tee": _tee,
    **dict.fromkeys(("cp", "mv"), _copy),
    "eval": _eval,
    **dict.fromkeys(("source", "."), _source),
    "trap": _trap,
    "alias": _alias,
    "command": _command,
    "env": _env,
}
