"""``env``: the variables that a program starts with."""

from __future__ import annotations

from policyc.engine.shell.assignments import took
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import UNKNOWN, UNSET, Dynamic
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.wrappers_table import WRAPPERS, is_assignment
from policyc.engine.shell.xargs_input import quoted_words


def environment(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """``env -S 'rm -rf x'`` splits; ``-C`` changes the folder; alone it prints the environment."""
    fields = command.fields
    for at, word in enumerate(fields[1:], 1):
        if not isinstance(word, str) or (word[:1] != "-" and "=" not in word):
            break
        if word[:2] != "--" and word[:1] == "-" and "S" in word:
            split = word[word.index("S") + 1 :]
            rest = fields[at + 1 :] if split else fields[at + 2 :]
            return _split(shell, command, split or (fields[at + 1] if at + 1 < len(fields) else ""), rest)
        if word.startswith("--split-string"):
            value = word.partition("=")[2]
            rest = fields[at + 1 :] if value else fields[at + 2 :]
            return _split(shell, command, value or (fields[at + 1] if at + 1 < len(fields) else ""), rest)
    inner = WRAPPERS["env"].inner(fields)
    outer, shell.variables = shell.variables, shell.variables.copy()
    _apply(shell, command, fields[1 : len(fields) - len(inner)])
    if inner:
        output = shell.dispatch(inner, command.redirected_from, command.redirected_to)
    else:
        shell.add(command)
        output = UNKNOWN
    shell.variables = outer
    return output


def _apply(shell: Running, command: SimpleCommand, words: list[str | Dynamic]) -> None:
    """The options and assignments before the command."""
    variables = shell.variables
    if any(
        word in ("-", "--ignore-environment") or (_is_cluster(word) and "i" in str(word)) for word in words
    ):
        for name in variables.values:
            variables.set(name, UNSET)
        variables.functions = {}
    folders = command.arguments.value_of("-C", "--chdir")
    if folders:
        variables.go(variables.resolve(folders[-1]) if isinstance(folders[-1], str) else None)
    for flag, unset in zip(words, words[1:]):  # noqa: RUF007  (pairwise came with Python 3.10)
        if flag in ("-u", "--unset") and isinstance(unset, str):
            variables.set(unset, UNSET)
    for word in words:
        if is_assignment(word) and not str(word).startswith("-"):
            _set(shell, word)


def _is_cluster(word: str | Dynamic) -> bool:
    return isinstance(word, str) and word[:1] == "-" and word[1:2] != "-"


def _set(shell: Running, word: str | Dynamic) -> None:
    text = word if isinstance(word, str) else word.leading
    name, _, value = text.partition("=")
    content = value if isinstance(word, str) else Dynamic("", True, None, word.tame)
    if name.isidentifier():
        shell.variables.attributes.pop(name, None)
        shell.variables.set(name, content)
        shell.variables.exported |= {name}
    took(shell, name, content)


def _split(
    shell: Running, command: SimpleCommand, text: str | Dynamic, rest: list[str | Dynamic]
) -> str | Dynamic:
    if isinstance(text, Dynamic):
        shell.add(command)
        shell.unknown_command()
        return UNKNOWN
    words: list[str | Dynamic] = [
        Dynamic("", False, word) if "${" in word else word for word in quoted_words(text.replace("\\_", " "))
    ]
    return environment(
        shell, shell.command("env", ["env", *words, *rest], command.redirected_from, command.redirected_to)
    )
