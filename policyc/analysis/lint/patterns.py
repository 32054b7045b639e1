"""Regular expressions with an obvious hole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from policyc.analysis.lint.finding import Finding, at
from policyc.engine.model import ENFORCING, PERMITTING, Clause, Policy, Rule
from policyc.engine.regex_nodes import BEGIN_TEXT, END_TEXT, Choice, Node, Place, Repeat, Sequence
from policyc.engine.regex_syntax import parse

_TOP_LEVEL = "com|org|net|io|dev|ai|co|app|cloud|gov|edu|internal|local|example|test"
_BARE_DOT = re.compile(rf"(?i)[a-z0-9-]{{1,63}}(?<!\\)\.(?:[a-z0-9-]+\\?\.)*(?:{_TOP_LEVEL})(?![a-z0-9-])")
#: Words of languages that take them in any case.
_ANY_CASE = re.compile(
    r"(?i)\b(drop|delete|truncate|alter|grant|insert|update)\b.*\b(table|database|schema|from|into|set|to)\b"
    r"|\b(truncate|remove-item)\b"
)
_IGNORES_CASE = re.compile(r"\(\?[a-z]*i")


def holes(policy: Policy) -> Iterator[Finding]:
    for rule in policy.rules:
        for clause in rule.clauses:
            if clause.op == "regex" and isinstance(clause.value, str):
                yield from _holes(rule, clause, clause.value)


def _holes(rule: Rule, clause: Clause, pattern: str) -> Iterator[Finding]:
    opens = (rule.verdict in PERMITTING) is not clause.negated
    if rule.verdict == "allow" and not clause.negated:
        yield from _anchors(rule, clause, pattern)
    dotted = _BARE_DOT.search(pattern)
    if opens and dotted:
        yield at(
            rule.source,
            "unescaped_dot",
            f"in rule {rule.label!r} the dot in {dotted[0]!r} stands for any character: other hosts match",
            r"write `\.`, or use the operator `host`",
        )
    if rule.verdict in ENFORCING and not clause.negated and not _IGNORES_CASE.search(pattern):
        word = _ANY_CASE.search(pattern)
        if word:
            yield at(
                rule.source,
                "case_sensitive_deny",
                f"rule {rule.label!r} does not see {word[0].swapcase()!r}: its pattern tells cases apart",
                "begin the pattern with `(?i)`",
            )


def _anchors(rule: Rule, clause: Clause, pattern: str) -> Iterator[Finding]:
    tree = parse(pattern)
    sides = [
        side
        for side, condition, last in (("before", BEGIN_TEXT, False), ("after", END_TEXT, True))
        if not _is_anchored(tree, condition, last)
    ]
    if sides:
        yield at(
            rule.source,
            "unanchored_allow",
            f"rule {rule.label!r} allows any text {' and '.join(sides)} what it finds in `{clause.path}`",
            "begin it with `^` and end it with `$`, or say with `.*$` that any end is meant",
        )


def _is_anchored(node: Node, condition: int, last: bool) -> bool:
    """Whether every way through ``node`` is held to that end of the text."""
    if isinstance(node, Place):
        return bool(node.condition & condition)
    if isinstance(node, Choice):
        return all(_is_anchored(each, condition, last) for each in node.nodes)
    if isinstance(node, Repeat):
        return node.least > 0 and _is_anchored(node.node, condition, last)
    if isinstance(node, Sequence):
        for each in reversed(node.nodes) if last else node.nodes:
            if _is_anchored(each, condition, last):
                return True
            if not isinstance(each, Place):
                return False
    return False
