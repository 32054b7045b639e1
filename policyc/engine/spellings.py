"""All the files that one argument may mean to a tool: tools differ in what they strip, expand and decode."""

from __future__ import annotations

from policyc.engine.file_paths import normalise, read, reads_as_windows
from policyc.engine.file_urls import decode_percent, is_file_url
from policyc.engine.patterns import lazy_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Sequence

#: Variables that some tools expand at the start of a path.
_VARIABLES = (
    ("${HOME}", "~"),
    ("$HOME", "~"),
    ("$env:USERPROFILE", "~"),
    ("$env:HOME", "~"),
    ("%USERPROFILE%", "~"),
    ("${PWD}", "."),
    ("$PWD", "."),
)
#: Paths that every tool reads alike, so far as this file goes: nearly all.
_PLAIN = lazy_pattern(r"[\w/.~:@,=+\\-]*")
_PLAIN_ASCII = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.~:@,=+\\-"
#: Rounds of percent-decoding: no chain of tools decodes more often.
_ROUNDS = 3


def spellings(
    path: str,
    realpaths: Sequence[str] = (),
    cwd: str | None = None,
    os: str | None = None,
    home: str | None = None,
) -> list[str]:
    """The normal forms of every way to read ``path``, the plain one first, then those of ``realpaths``."""
    found: dict[str, None] = {}
    for text in _readings(path):
        found[normalise(text, cwd, home, os)] = None
        if os is None and _may_be_windows(text):
            found[read(text, cwd, home, None, windows=True)] = None
        if "proc" in text:
            found[read(text, cwd, home, os, follow_proc=False)] = None
    for real in realpaths:
        found[normalise(real, cwd, home, os)] = None
    return list(found)


def _readings(path: str) -> list[str]:
    """``path`` and what it turns into by any of the expansions, one after the other."""
    if not path.strip(_PLAIN_ASCII) or _PLAIN.fullmatch(path):
        return [path]
    texts = dict.fromkeys((path, path.strip()))
    for expand in (_decoded, _without_nul, _expanded, _with_fragment):
        for text in list(texts):
            texts.update(dict.fromkeys(expand(text)))
    return list(texts)


def _decoded(text: str) -> list[str]:
    found: list[str] = []
    while "%" in text and len(found) < _ROUNDS:
        text = decode_percent(text)
        found.append(text)
    return found


def _without_nul(text: str) -> list[str]:
    # C ends a string at a NUL; others drop it.
    return [text.partition("\0")[0], text.replace("\0", "")] if "\0" in text else []


def _expanded(text: str) -> list[str]:
    if text[:1] not in ("$", "%"):
        return []
    return [
        short + text[len(name) :]
        for name, short in _VARIABLES
        if text[: len(name)].upper() == name.upper() and text[len(name) : len(name) + 1] in ("", "/", "\\")
    ]


def _with_fragment(text: str) -> list[str]:
    # Not every reader of file: URLs ends the path at a query or fragment.
    marked = ("?" in text or "#" in text) and is_file_url(text)
    return [text.replace("?", "%3F").replace("#", "%23")] if marked else []


def _may_be_windows(path: str) -> bool:
    """Whether Windows would read the path differently: its separators, streams, trailing dots and spaces."""
    return not reads_as_windows(path, None) and (
        "\\" in path or ":" in path or ". " in path + " " or "./" in path + "/" or " /" in path + "/"
    )
