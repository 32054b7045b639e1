"""What xargs reads from its options and its input: which words each of its runs gets."""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.escapes import unescape
from policyc.engine.shell.fields import UNKNOWN, Dynamic, Listing

#: Runs that are followed one by one.
MAX_RUNS = 16

_LONG = {
    "null": "0",
    "arg-file": "a",
    "delimiter": "d",
    "eof": "e",
    "max-args": "n",
    "max-lines": "l",
    "max-chars": "s",
    "max-procs": "P",
    "process-slot-var": "",
    "replace": "i",
}
_VALUE, _ATTACHED = frozenset("IJadnLERPsS"), frozenset("iel")
_ITEM = lazy_pattern(r"(?:[^\s'\"\\]|'[^'\n]*'|\"[^\"\n]*\"|\\.)+", re.DOTALL)
_QUOTED = lazy_pattern(r"'([^'\n]*)'|\"([^\"\n]*)\"|\\(.)", re.DOTALL)

Options = dict[str, "str | Dynamic"]


def options_of(flags: list[str | Dynamic]) -> Options:
    """The options by their letters: ``-0tI{} -n 2`` is ``{"0": "", "t": "", "I": "{}", "n": "2"}``."""
    found: Options = {}
    waiting = ""
    for flag in flags:
        if waiting:
            found[waiting], waiting = flag, ""
        elif isinstance(flag, str) and flag[:2] == "--":
            name, equals, value = flag[2:].partition("=")
            letter = next((short for long, short in _LONG.items() if name and long.startswith(name)), "")
            found[letter] = value
            waiting = letter if letter in _VALUE and not equals else ""
        elif isinstance(flag, str) and flag[:1] == "-":
            waiting = _cluster(flag, found)
    return found


def _cluster(flag: str, found: Options) -> str:
    """Adds the options of ``flag``; answers the one whose value is the next word."""
    for at, letter in enumerate(flag[1:], 2):
        if letter in _VALUE or letter in _ATTACHED:
            found[letter] = flag[at:]
            return letter if letter in _VALUE and at == len(flag) else ""
        found[letter] = ""
    return ""


def mark_of(options: Options) -> str | None:
    """The text that xargs replaces, or None where it appends."""
    for letter in "IiJ":
        if letter in options:
            value = options[letter]
            return value if isinstance(value, str) and value else "{}"
    return None


def runs_of(stdin: str | Dynamic, options: Options) -> list[list[str | Dynamic]]:
    """The words that each run gets."""
    by_line = "I" in options or "i" in options
    if isinstance(stdin, Listing) and not by_line:
        return [[*stdin.items]]
    if isinstance(stdin, Listing):
        runs: list[list[str | Dynamic]] = [[item] for item in stdin.items]
    elif isinstance(stdin, Dynamic) or isinstance(options.get("d"), Dynamic):
        return [[Dynamic("", False) if by_line else UNKNOWN]]
    elif by_line:
        runs = [[item] for item in _items(stdin, options, True)]
    elif "L" in options or "l" in options:
        runs = [[*quoted_words(line)] for line in stdin.splitlines() if line.strip()]
    else:
        items: list[str | Dynamic] = [*_items(stdin, options, False)]
        count = options.get("n")
        size = int(count) if isinstance(count, str) and count.isdecimal() and len(count) < 6 else 0
        runs = [items[at : at + size] for at in range(0, len(items), size)] if size else [items]
    return runs if len(runs) <= MAX_RUNS else [[UNKNOWN]]


def _items(text: str, options: Options, by_line: bool) -> list[str]:
    delimiter = options.get("d")
    if "0" in options or delimiter is not None:
        mark = "\0" if "0" in options else unescape(str(delimiter))[:1]
        return [item for item in text.split(mark or "\n") if item]
    if by_line:
        return [_bare(line.strip()) for line in text.splitlines() if line.strip()]
    return quoted_words(text)


def quoted_words(text: str) -> list[str]:
    """Words with quotes and backslashes as xargs and ``env -S`` read them."""
    return [_bare(item) for item in _ITEM.findall(text)]


def _bare(item: str) -> str:
    return _QUOTED.sub(lambda match: match[1] or match[2] or match[3] or "", item)
