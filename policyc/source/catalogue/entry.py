"""One entry of the catalogue, and the files its examples stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from policyc.source.diagnostics import Severity

_HEADER = re.compile(r"^-- (?P<name>\S+)(?P<escaped> \(escaped\))? --\n", re.MULTILINE)
_LONE_FILE = "policy.yaml"


@dataclass(frozen=True, slots=True)
class Entry:
    """A kind of problem. ``bad`` triggers it and ``good`` does not: the tests run both.

    An example is the text of one policy file, or several files, each after a line ``-- path --``
    (``-- path (escaped) --``: the text has ``\\xNN`` for bytes that no page can show).
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    bad: str
    good: str


def example_files(example: str) -> dict[str, bytes]:
    """The files of an example by path; a lone policy file is ``policy.yaml``."""
    headers = list(_HEADER.finditer(example))
    if not headers:
        return {_LONE_FILE: example.encode()}
    files = {}
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        text = example[header.end() : following.start() if following else len(example)]
        escaped = header["escaped"] is not None
        files[header["name"]] = (
            text.encode().decode("unicode_escape").encode("latin-1") if escaped else text.encode()
        )
    return files


def error(code: str, title: str, explanation: str, bad: str, good: str) -> Entry:
    """An entry that stops the build."""
    return Entry(code, "error", title, explanation, bad, good)


def warning(code: str, title: str, explanation: str, bad: str, good: str) -> Entry:
    """An entry that does not."""
    return Entry(code, "warning", title, explanation, bad, good)
