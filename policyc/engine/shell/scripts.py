"""Code that a command is given: in an argument, in its input, or in a file that this line wrote before."""

from __future__ import annotations

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import HOLE, UNKNOWN, Dynamic, Glob, SetUp, Tree
from policyc.engine.shell.interpreters import (
    Given,
    Language,
    code_given,
    is_shell,
    language_of,
    shell_given,
)
from policyc.engine.shell.outputs import output_of
from policyc.engine.shell.running_api import Running


def known(fields: list[str | Dynamic]) -> bool:
    return all(isinstance(field, str) for field in fields)


def joined(words: list[str | Dynamic]) -> str | Dynamic:
    """Words as one text, as ``eval`` and ``ssh`` read them."""
    if len(words) == 1:
        return words[0]
    text = " ".join(word if isinstance(word, str) else word.template for word in words)
    return text if known(words) else Dynamic("", True, text)


def after_flag(fields: list[str | Dynamic], letter: str, long: str) -> str | Dynamic | None:
    """The code after ``-c``, in ``-ccode``, after a cluster that ends so, or in ``--command=code``."""
    for at, word in enumerate(fields[1:], 1):
        if not isinstance(word, str):
            if word.leading.startswith(("-" + letter, long + "=")):
                return word
        elif word == long or (word[:1] == "-" and word[1:].isalnum() and word[-1] == letter):
            return fields[at + 1] if at + 1 < len(fields) else ""
        elif word.startswith(long + "="):
            return word.partition("=")[2]
        elif word.startswith("-" + letter):
            return word[2:]
    return None


def with_arguments(code: str | Dynamic, count: int) -> str | Dynamic:
    """Code that the shell calls with arguments that are not known."""
    text = (code if isinstance(code, str) else code.template) + f' "{HOLE}"' * count
    return text if isinstance(code, str) else Dynamic("", True, text)


def run_code(
    shell: Running,
    command: SimpleCommand | None,
    language: str,
    text: str | Dynamic,
    positional: list[str | Dynamic] | None,
    *,
    isolated: bool = True,
) -> str | Dynamic:
    """Shell code. Where part of it is hidden, the rest is walked, and more may run than that."""
    if isinstance(text, SetUp):
        return ""
    if isinstance(text, (Glob, Tree)):  # the name of a file that was found: any text
        text = Dynamic("", True, str(text) if isinstance(text, Glob) else HOLE)
    if command is not None:
        command.code += ((language, text if isinstance(text, str) else text.template),)
        command.code_unknown = command.code_unknown or not isinstance(text, str)
    outer = shell.variables
    if isolated:
        shell.variables = outer.child()
    if isinstance(text, str):
        output = shell.code(text, positional)
    else:
        if text.template != HOLE:
            shell.code(text.template, positional)
        shell.unknown_command()
        output = UNKNOWN
    if isolated:
        shell.variables = outer
    return output


def run_input(
    shell: Running, command: SimpleCommand | None, positional: list[str | Dynamic]
) -> str | Dynamic:
    """Shell code from standard input, where something was redirected there."""
    text = shell.stdin
    if text is None:
        return ""
    shell.stdin = None
    output = run_code(shell, command, "sh", text, positional)
    shell.stdin = text
    return output


def run_shell(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``sh -c code``, ``sh script``, ``sh`` with code on its input."""
    shell.add(command)
    given = shell_given(command.fields)
    if only_checks(command.fields):
        command.input_is_data = True
        return ""
    run_start_file(shell, command, given)
    if given.code:
        ran = run_code(shell, command, "sh", given.code[0], given.rest)
        command.input_is_data = not command.code_unknown
        return ran
    if given.script is None or given.script in ("-", "/dev/stdin"):
        return run_input(shell, command, given.rest)
    if given.script is UNKNOWN:  # any words, from xargs: `-c` may be one of them
        command.code_unknown = True
        shell.unknown_command()
        return UNKNOWN
    output = run_file(shell, given.script, given.rest, command=command)
    return UNKNOWN if output is None else output


def only_checks(fields: list[str | Dynamic]) -> bool:
    """``bash -n script`` reads commands and runs none."""
    flags = [word for word in fields[1 : len(fields)] if isinstance(word, str)]
    count = next((at for at, word in enumerate(fields[1:]) if not _is_cluster(word)), len(fields) - 1)
    letters = "".join(flags[:count])
    return "n" in letters and "i" not in letters


def _is_cluster(word: str | Dynamic) -> bool:
    """Flags of a shell with no value after them."""
    return isinstance(word, str) and word[:1] == "-" and word[1:].isalpha() and word[-1] not in "oO"


def run_start_file(shell: Running, command: SimpleCommand, given: Given) -> None:
    """An interactive ``sh`` reads the file that ``ENV`` names."""
    file = shell.variables.values.get("ENV")
    interactive = "-i" in command.fields or (not given.code and given.script is None)
    if file is None or isinstance(file, list) or not interactive or "ENV" not in shell.variables.exported:
        return
    read_by_a_shell(shell, file)


def read_by_a_shell(shell: Running, file: str | Dynamic) -> None:
    """The value of ``BASH_ENV`` or ``ENV``: expanded, it is the file that a shell runs first."""
    name = shell.expanded(file) if isinstance(file, str) else file
    if name in ("", "/dev/null"):
        return
    if isinstance(name, Dynamic) or run_file(shell, name, []) is None:
        shell.unknown_command()


def run_file(
    shell: Running,
    path: str | Dynamic,
    arguments: list[str | Dynamic] | None,
    *,
    isolated: bool = True,
    command: SimpleCommand | None = None,
) -> str | Dynamic | None:
    """A script. None where its text is on disk and this line did not write it: that is not looked at."""
    if path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        return run_input(shell, command, arguments or [])
    text = getattr(path, "text", None)
    if text is None:
        text = shell.written(path)
    if text is None:
        return None
    language = None
    if isinstance(text, str) and text.startswith("#!"):
        words = text.partition("\n")[0][2:].split()
        name = next(
            (word.rpartition("/")[2] for word in words if not word.endswith("/env") and word[:1] != "-"), "sh"
        )
        language = None if is_shell(name) else language_of(name)
    if language is not None and isinstance(text, str):
        look_into(shell, command or shell.commands[-1], language, text)
        return UNKNOWN
    shown = text if isinstance(text, str) else text.template
    if shell.recurses(shown, arguments):
        return UNKNOWN
    shell.active[shown] = (shell.variables.changes, arguments)
    output = run_code(shell, command, "sh", text, arguments, isolated=isolated)
    del shell.active[shown]
    return output


def run_language(shell: Running, command: SimpleCommand, language: Language) -> str | Dynamic:
    """``python -c code`` and the like; a script this line wrote; code on the input."""
    shell.add(command)
    given = code_given(language, command.fields)
    codes = given.code
    if not codes and given.script is not None and given.script not in ("-", "/dev/stdin"):
        text = getattr(given.script, "text", None) or shell.written(given.script)
        codes = [] if text is None else [text]
    elif not codes and language.stdin and shell.stdin is not None:
        codes = [shell.stdin]
    for file in given.files:
        text = getattr(file, "text", None) or shell.written(file)
        codes = codes if text is None else [*codes, text]
    for code in codes:
        if isinstance(code, (Dynamic, Glob, Tree)):
            command.code_unknown = True
        look_into(shell, command, language, code if isinstance(code, str) else code.template)
    return output_of(command.program, command.fields, shell.stdin)


def look_into(shell: Running, command: SimpleCommand, language: Language, code: str) -> None:
    """Notes the code, the files it names and the shell commands it runs."""
    command.code += ((language.name, code),)
    texts: dict[str, None] = {}
    lists: dict[tuple[str, ...], None] = {}
    from policyc.engine.shell.foreign_code import files_named, shell_calls, views

    seen = views(code, language)
    for view in seen:
        if view is seen[-1] or "${HOME}" not in view:
            reads, writes, deletes = (
                tuple(map(command.place.resolve, paths)) for paths in files_named(view, language)
            )
            command.redirected_from += reads
            command.redirected_to += writes
            command.deleted += deletes
        found, words = shell_calls(view, language)
        texts.update(dict.fromkeys(found))
        lists.update(dict.fromkeys(map(tuple, words)))
    for text in texts:
        run_code(shell, None, "sh", text, None)
    for arguments in lists:
        shell.dispatch([*arguments])
