"""The one edit that mends a finding, in the text of its file; none where there is more than one way.

Text goes in and out with ``\\n`` at its line ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from policyc.analysis.lint.catalogue import CATALOGUE
from policyc.analysis.lint.finding import Finding
from policyc.analysis.lint.silencing import IGNORE
from policyc.formatting.compose import compose
from policyc.formatting.nodes import MAPPING, SEQUENCE, Entry, Node
from policyc.formatting.scalars import is_one_line

#: A host behind a scheme, from which nothing but the end of a label can be left out: its dots are dots.
_HOST = re.compile(r"(?<=://)(?:[a-zA-Z0-9-]+\\?\.)+[a-zA-Z]{2,}(?=[/:$]|\\/|\Z)")
_BARE_DOT = re.compile(r"(?<!\\)\.")


@dataclass(frozen=True, slots=True)
class Edited:
    """``text`` is the file after the edit; ``said`` is what was done to it."""

    text: str
    said: str


def edit(finding: Finding, text: str) -> Edited | None:
    """The edit of ``text`` that mends ``finding``, None where no edit is certain."""
    mend = _EDITS.get(finding.code)
    return None if mend is None else mend(finding, text)


def _unused_ignore(finding: Finding, text: str) -> Edited | None:
    lines = text.split("\n")
    line = lines[finding.line - 1]
    match = IGNORE.search(line)
    if match is None or not {code.strip() for code in match["codes"].split(",")} <= set(CATALOGUE):
        return None  # misspelt: what it was meant for may be there
    rest = line[: match.start()].rstrip()
    lines[finding.line - 1 : finding.line] = [rest] if rest else []
    return Edited("\n".join(lines), f"took away `{line[match.start() :].strip()}`")


def _unescaped_dot(finding: Finding, text: str) -> Edited | None:
    for node in _patterns(_rule(finding, text)):
        hosts = [match[0] for match in _HOST.finditer(node.text) if _BARE_DOT.search(match[0])]
        if hosts and is_one_line(node):
            start = node.end - len(node.raw)
            named = ", ".join(f"`{host}`" for host in hosts)
            return Edited(text[:start] + _escaped(node) + text[node.end :], f"escaped the dots of {named}")
    return None


def _escaped(node: Node) -> str:
    """The scalar with the dots of its hosts escaped, in the quotes that it has."""
    if node.style == '"':
        return json.dumps(_escape_hosts(node.text))
    return _escape_hosts(node.raw)


def _escape_hosts(text: str) -> str:
    return _HOST.sub(lambda match: _BARE_DOT.sub(r"\\.", match[0]), text)


def _redundant_rule(finding: Finding, text: str) -> Edited | None:
    entry = _rule(finding, text)
    if entry is None or _has_comment(entry):
        return None
    start = text.rfind("\n", 0, entry.start) + 1
    end = text.find("\n", entry.value.end - 1) + 1 or len(text)
    if text[start : entry.start].strip() or text[entry.value.end : end].strip():
        return None
    after = text[end:]
    if text[:start].endswith("\n\n") and after.startswith("\n"):
        after = after[1:]
    return Edited(text[:start] + after, "removed the rule")


_EDITS: dict[str, Callable[[Finding, str], Edited | None]] = {
    "unused_ignore": _unused_ignore,
    "unescaped_dot": _unescaped_dot,
    "redundant_rule": _redundant_rule,
}


def _rule(finding: Finding, text: str) -> Entry | None:
    """The rule that begins where the finding is."""
    root, _ = compose(text)
    rules = root if root.kind == SEQUENCE else _at(root, "rules")
    return next(
        (
            it
            for it in (rules.entries if rules else ())
            if text.count("\n", 0, it.value.start) + 1 == finding.line
        ),
        None,
    )


def _patterns(rule: Entry | None) -> Iterator[Node]:
    clauses = None if rule is None else _at(_at(rule.value, "args_match"), "clauses")
    for clause in clauses.entries if clauses else ():
        op, value = _at(clause.value, "op"), _at(clause.value, "value")
        if op is not None and op.text == "regex" and value is not None:
            yield value


def _at(node: Node | None, key: str) -> Node | None:
    entries = node.entries if node is not None and node.kind == MAPPING else []
    return next((it.value for it in entries if it.key is not None and it.key.text == key), None)


def _has_comment(entry: Entry) -> bool:
    """Whether somebody had something to say of it."""
    nodes = [entry.value] if entry.key is None else [entry.key, entry.value]
    return bool(entry.comments) or any(node.foot or any(map(_has_comment, node.entries)) for node in nodes)
