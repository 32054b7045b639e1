"""What a variable makes run by being set, and the words with which builtins name one."""

from __future__ import annotations

from policyc.engine.shell.fields import ENVIRONMENT, UNKNOWN, Dynamic, tame
from policyc.engine.shell.running_api import Running

#: Prompts: the shell expands their values whenever it shows one (PS4: with ``set -x``).
_PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4"})
_FUNCTION = "BASH_FUNC_"


def assign(shell: Running, name: str, value: str | Dynamic | list[str | Dynamic]) -> None:
    """``name=value``, with what that runs now or later."""
    if "i" in shell.variables.attributes.get(name, ""):
        for number in value if isinstance(value, list) else [value]:
            shell.evaluate(number)
    shell.variables.set(name, value)
    took(shell, name, value)


def took(shell: Running, name: str, value: str | Dynamic | list[str | Dynamic]) -> None:
    """What runs of a variable, here or in a program that finds it in its environment."""
    # Programs and scripts are loaded by lines that set variables: most do not.
    from policyc.engine.shell import embedded
    from policyc.engine.shell.scripts import read_by_a_shell, run_code

    for one in value if isinstance(value, list) else [value]:
        embedded.assigned(shell, name, one)
        if name in _PROMPTS:
            shell.prompt(one)
        elif name == "BASH_ENV":
            read_by_a_shell(shell, one)
        elif name.startswith(_FUNCTION):
            function = name[len(_FUNCTION) :].rstrip("%()")
            text = one if isinstance(one, str) else one.template
            code = f"{function} {text}"
            run_code(
                shell,
                None,
                "sh",
                code if isinstance(one, str) else Dynamic("", True, code),
                None,
                isolated=False,
            )


def element(shell: Running, name: str, subscript: str | Dynamic, value: str | Dynamic) -> None:
    """``name[subscript]=value``: which one of the values changed is not followed."""
    if not shell.variables.associative(name):
        shell.evaluate(subscript)
    before = shell.variables.values.get(name)
    assign(shell, name, ENVIRONMENT if tame(before) and tame(value) else UNKNOWN)


def named(shell: Running, word: str | Dynamic, value: str | Dynamic) -> None:
    """A builtin stores ``value`` in the variable, or the element, that ``word`` names."""
    if not isinstance(word, str):
        shell.evaluate(word)
        shell.variables.forget()
        return
    name, bracket, rest = word.partition("[")
    if bracket:
        element(shell, name, shell.expanded(rest.rpartition("]")[0]), value)
    else:
        assign(shell, name, value)
