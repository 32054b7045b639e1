"""``# policyc: ignore[code] reason``, above a rule or inside it; of a policy, above its rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from policyc.analysis.lint.finding import Finding, Linted

IGNORE = re.compile(r"(?:^|\s)# policyc: ignore\[(?P<codes>[a-z_, ]*)\](?P<reason>.*)$")


@dataclass(frozen=True, slots=True)
class _Ignore:
    line: int
    codes: frozenset[str]
    reason: str


def silence(
    findings: Iterable[Finding], sources: Mapping[str, bytes], starts: Mapping[str, list[int]], linted: Linted
) -> None:
    """Sorts ``findings`` into ``linted``. ``starts``: the lines where rules begin, by file, ascending.

    A comment without a reason silences nothing, and one that silences nothing is a finding.
    """
    ignores = {path: _read(text) for path, text in sources.items() if not path.startswith("preset:")}
    used: set[tuple[str, int]] = set()
    for finding in findings:
        span = _span(finding.line, starts.get(finding.path, []), _lines(sources.get(finding.path, b"")))
        match = next(
            (one for one in ignores.get(finding.path, []) if one.line in span and finding.code in one.codes),
            None,
        )
        if match is not None:
            used.add((finding.path, match.line))
        (linted.findings if match is None or not match.reason else linted.silenced).append(finding)
    for path, ignored in ignores.items():
        linted.findings += [
            _idle(path, one, (path, one.line) in used)
            for one in ignored
            if not one.reason or (path, one.line) not in used
        ]
    linted.findings.sort()


def _idle(path: str, one: _Ignore, used: bool) -> Finding:
    codes = ", ".join(sorted(one.codes))
    if used or not one.reason:
        return Finding(
            path, one.line, "ignore_without_reason", f"ignore[{codes}] says no reason, so it is not taken"
        )
    return Finding(path, one.line, "unused_ignore", f"ignore[{codes}] silences nothing")


def _span(line: int, starts: list[int], lines: list[str]) -> range:
    """The lines that belong to what begins at ``line``, from the comments above it to the next rule's."""
    first = line
    while first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    following = next((start for start in starts if start > line), len(lines) + 1)
    while following - 2 >= line and following <= len(lines) and lines[following - 2].lstrip().startswith("#"):
        following -= 1
    return range(first, following)


def _read(text: bytes) -> list[_Ignore]:
    found = []
    for number, line in enumerate(_lines(text), start=1):
        match = IGNORE.search(line)
        if match:
            codes = frozenset(code.strip() for code in match["codes"].split(","))
            found.append(_Ignore(number, codes, match["reason"].strip()))
    return found


def _lines(text: bytes) -> list[str]:
    return text.decode("utf-8-sig", "replace").splitlines()
