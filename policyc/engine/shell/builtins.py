"""Builtins of the shell that change what the walk knows, or run more."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.arithmetic import assigned
from policyc.engine.shell.declarations import DECLARATIONS
from policyc.engine.shell.environment import environment
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import NUMBER, UNKNOWN, Dynamic, SetUp
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.scripts import after_flag, joined, run_code, run_file, with_arguments
from policyc.engine.shell.variables import TEMPORARY
from policyc.engine.shell.wrappers_table import Wrapper

#: A program of the system, by its path.
_PROGRAM = lazy_pattern(r"(?:/usr(?:/local)?|/opt/homebrew)?/s?bin/[\w.+\-]+")
#: What mktemp puts characters in place of.
_PLACE = lazy_pattern(r"XXX+(?!.*XXX)")

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
    """What this line wrote is still known after ``cp`` and ``mv``; what was on disk is still that, and a
    program of the system is that program under another name."""
    operands = command.arguments.operands
    content = shell.source(operands[0]) if len(operands) == 2 else UNKNOWN
    if content is None and isinstance(operands[0], str) and _PROGRAM.fullmatch(operands[0]):
        content = f'{operands[0]} "$@"'
    shell.add(command)
    path = shell.path_of(operands[1]) if len(operands) == 2 else None
    if path:
        shell.put(path, content)
    return ""


def _pwd(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    folder = shell.variables.get("PWD")
    return folder + "\n" if isinstance(folder, str) else UNKNOWN


def _eval(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    words = command.fields[1:]
    if not words:
        return ""
    if words[:2] == ["set", "--"] and len(words) == 3 and isinstance(words[2], SetUp):
        shell.variables.arguments(None)  # what getopt printed
        return ""
    return run_code(shell, command, "sh", joined(words), None, isolated=False)


def _source(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    if len(command.fields) < 2:
        return ""
    output = run_file(shell, command.fields[1], command.fields[2:] or None, isolated=False, command=command)
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


def _fc(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``fc -l`` lists; any other runs what the history holds."""
    shell.add(command)
    if not any(isinstance(word, str) and word[:1] == "-" and "l" in word for word in command.fields[1:]):
        shell.unknown_command()
    return UNKNOWN


def _enable(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``enable -f library name`` loads code."""
    shell.add(command)
    if after_flag(command.fields, "f", "--") is not None:
        shell.unknown_command()
    return ""


def _bind(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``bind -x '"key": code'``, ``bind -f file``."""
    shell.add(command)
    if after_flag(command.fields, "x", "--") is not None or after_flag(command.fields, "f", "--") is not None:
        shell.unknown_command()
    return ""


def _complete(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``-C code`` runs, and so do the substitutions in the words of ``-W``."""
    shell.add(command)
    code = after_flag(command.fields, "C", "--")
    if code is not None:
        run_code(shell, command, "sh", with_arguments(code, 3), None)
    words = after_flag(command.fields, "W", "--")
    if words is not None:
        shell.expanded(words if isinstance(words, str) else words.template)
    return UNKNOWN if command.program == "compgen" else ""


def _let(shell: Running, command: SimpleCommand) -> str | Dynamic:
    shell.add(command)
    for word in command.fields[1:]:
        shell.evaluate(word)
        for name in assigned(word if isinstance(word, str) else word.template):
            shell.variables.set(name, NUMBER)
    return ""


def _test(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``test -v name[subscript]``; the other operators read no arithmetic here."""
    shell.add(command)
    for at, word in enumerate(command.fields[1:-1], 2):
        if word == "-v":
            shell.evaluate(command.fields[at])
    return ""


def _mktemp(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """A new path in the folder for temporary files, or where ``-p`` and the template say."""
    shell.add(command)
    fields = command.fields
    folder = after_flag(fields, "p", "--tmpdir")
    template = next((word for word in fields[1:] if isinstance(word, Dynamic) or "XXX" in word), "tmp.XXX")
    below = folder is not None or template == "tmp.XXX" or "-t" in fields or "--tmpdir" in fields
    if isinstance(template, Dynamic) or isinstance(folder, Dynamic):
        return UNKNOWN
    name = _PLACE.sub(str(len(shell.commands)), template.rpartition("=")[2])
    return f"{folder or TEMPORARY}/{name.rpartition('/')[2]}\n" if below else name + "\n"


PROGRAMS: dict[str, Builtin] = {
    **dict.fromkeys(("cd", "pushd", "popd"), _cd),
    **DECLARATIONS,
    "set": _set,
    "shift": _shift,
    "cat": _cat,
    "tee": _tee,
    **dict.fromkeys(("cp", "mv", "ln", "install"), _copy),
    "pwd": _pwd,
    "eval": _eval,
    **dict.fromkeys(("source", "."), _source),
    "trap": _trap,
    "alias": _alias,
    "command": _command,
    "fc": _fc,
    "enable": _enable,
    "bind": _bind,
    **dict.fromkeys(("complete", "compgen"), _complete),
    "let": _let,
    **dict.fromkeys(("test", "["), _test),
    "mktemp": _mktemp,
    "env": environment,
}
