"""What ``find`` finds: all below its roots, or the names that its expression asks for."""

from __future__ import annotations

from policyc.engine.shell.fields import Dynamic, Glob, Tree
from policyc.engine.shell.options import Arguments

Words = list["str | Dynamic"]

_OR = ("-o", "-or", ",")
_NOT = ("!", "-not")
_NAMES = ("-name", "-iname")
_TESTS = (*_NAMES, "-path", "-wholename", "-ipath", "-regex", "-iregex")
#: Tests by which a folder is not meant with all that is in it.
_OTHER_TESTS = ("-empty", "-mtime", "-mmin", "-size", "-newer", "-perm", "-user", "-links")
_ACTIONS = ("-print", "-print0", "-printf", "-exec", "-execdir", "-ok", "-okdir", "-delete", "-ls")


def find_roots(operands: Words) -> Words:
    roots: Words = []
    for operand in operands:
        if isinstance(operand, str) and operand[:1] in ("(", ")", "!", ","):
            break
        roots.append(operand)
    return roots or ["."]


def find_results(roots: Words, arguments: Arguments) -> Words:
    names = _names(arguments.words)
    if not arguments.value_of(*_TESTS) and not arguments.has(*_OTHER_TESTS):
        return [root if isinstance(root, (Dynamic, Glob)) else Tree(root) for root in roots]
    found: Words = []
    for root in roots:
        found += [root] if isinstance(root, Dynamic) else [_below(root, name) for name in names]
    return found


def _below(root: str, name: str) -> Glob:
    """``**`` may stand for nothing but the slash, and a name that begins with a star for a hidden file."""
    last = name.lstrip("*") if name.startswith("*") else "/" + name if name else ""
    return Glob(f"{root.rstrip('/')}/**{last}")


def _names(words: Words) -> list[str]:
    """Patterns that together cover every name that is found; an empty one covers all. Of the tests that are
    joined by "and" one is enough, so brackets need no regard, but for those that are negated."""
    if any(word in _NOT and after == "(" for word, after in zip(words, words[1:])):  # noqa: RUF007  (Python 3.9)
        return [""]
    found: dict[str, None] = {}
    for terms in _alternatives(words):
        if "-prune" in terms and _acts(words) and not _acts(terms):
            continue  # left out of what is found
        found[_name(terms)] = None
    return [""] if "" in found else list(found)


def _acts(words: Words) -> bool:
    return any(action in words for action in _ACTIONS)


def _alternatives(words: Words) -> list[Words]:
    alternatives: list[Words] = [[]]
    for word in words:
        if word in _OR:
            alternatives.append([])
        else:
            alternatives[-1].append(word)
    return alternatives


def _name(terms: Words) -> str:
    """A pattern of names that the terms ask for."""
    for at, term in enumerate(terms[:-1]):
        pattern = terms[at + 1]
        negated = at > 0 and terms[at - 1] in _NOT
        if term in _NAMES and not negated and isinstance(pattern, str) and "/" not in pattern:
            return pattern.lower() if term == "-iname" else pattern
    return ""
