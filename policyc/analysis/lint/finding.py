"""A finding of lint, as frozen data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from policyc.engine.model import Policy, Rule, Source


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """``path`` is relative to the bundle, ``line`` is 1-based: where the rule or policy begins."""

    path: str
    line: int
    code: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What a check could not find out, and why."""

    text: str


@dataclass(slots=True)
class Linted:
    """``findings`` in the order of their places; ``silenced`` were ignored with a reason; ``unknown`` says
    what could not be settled."""

    findings: list[Finding] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def at(source: Source, code: str, message: str, hint: str | None = None) -> Finding:
    return Finding(source.path, source.line, code, message, hint)


def own_rules(policy: Policy) -> Iterator[tuple[int, Rule]]:
    """The rules that the bundle itself wrote, with their places: others are not its author's to change."""
    for place, rule in enumerate(policy.rules):
        if not rule.source.path.startswith("preset:"):
            yield place, rule
