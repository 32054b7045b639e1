"""What programs that are given code read and write besides what the code names."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.shell.effects_table import Paths, tree
from policyc.engine.shell.interpreters import is_shell, language_of


def script(paths: Paths) -> None:
    """Shells and interpreters: the first operand is a file of code, and the rest is its own."""
    language = language_of(paths.program)
    code = frozenset() if language is None else language.code
    verbs = frozenset() if language is None else language.verbs
    if paths.has("-m") and language is not None and language.name == "python":
        _module(paths)
    elif not paths.has("-c", "-m", *code) and paths.operands[:1] != ["eval"]:
        paths.reads += paths.operands[1:] if paths.operands and paths.operands[0] in verbs else paths.operands


def _module(paths: Paths) -> None:
    """``python -m zipfile -e a.zip d`` and its like; other modules may read any file they name."""
    module, *rest = paths.operands or [""]
    if module in ("zipfile", "tarfile"):
        paths.writes += paths.values("-c") + paths.values("--create")
        if paths.has("-e", "--extract"):
            paths.writes.append(tree(rest[1] if len(rest) > 1 else "."))
        paths.reads += rest if not paths.has("-e", "--extract") else rest[:1]
    elif module == "json.tool":
        paths.reads += rest[:1]
        paths.writes += rest[1:2]
    elif module in ("py_compile", "compileall", "tokenize", "ast", "pdb", "trace", "cProfile", "base64"):
        paths.reads += rest


def _database(paths: Paths) -> None:
    """sqlite3: what comes after the file is code."""
    paths.reads += paths.operands[:1]
    paths.writes += paths.operands[:1]


def _script_or_filter(paths: Paths) -> None:
    """perl, ruby: with ``-e`` every operand is a file that the code may go over, with ``-i`` in place."""
    paths.reads += paths.operands
    if paths.has("-i"):
        paths.writes += paths.operands if paths.has("-e", "-E") else paths.operands[1:]


INTERPRETERS: dict[str, Callable[[Paths], None]] = {
    **dict.fromkeys(("sqlite3", "sqlite"), _database),
    **dict.fromkeys(("perl", "ruby"), _script_or_filter),
}


def interpreter(program: str) -> Callable[[Paths], None] | None:
    """The effect of a program that is given code; None where it is none."""
    found = INTERPRETERS.get(program)
    if found is None and (is_shell(program) or language_of(program) is not None):
        return script
    return found
