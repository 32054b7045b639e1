"""Statements to an agent's own rules, with a word on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from policyc.engine.dialects.dialect import Dialect
from policyc.hooks.generated import Native
from policyc.hooks.native.statements import Statement, not_always, statements


class Unsaid(Exception):
    """The agent's language has no rule that says no more than the statement."""


def lowered(
    data: Mapping[str, Any], dialect: Dialect, rule: Callable[[Statement], str]
) -> tuple[list[str], list[Native]]:
    """The agent's own rules, sorted, and what became of everything that the policies deny.

    ``rule`` writes a statement in the agent's language, or raises Unsaid.
    """
    said, listed = statements(data, dialect)
    written = []
    for statement, because in said.items():
        what = f"{because}, {statement}"
        try:
            text = rule(statement)
        except Unsaid as error:
            listed.append(Native(what, None, str(error)))
        else:
            written.append(text)
            in_one_line = ", ".join(filter(None, text.splitlines()))
            listed.append(Native(what, in_one_line, "the policy always denies it"))
    return sorted(set(written)), sorted(listed, key=lambda one: (one.rule is None, one.what))


def with_companions(
    data: Mapping[str, Any], dialect: Dialect, statement: Statement, wider: Mapping[str, tuple[str, ...]]
) -> None:
    """Checks that the policies also deny the other tools that the agent's rule for this one would stop.

    Raises Unsaid, also for a tool that is not in ``wider``.
    """
    if statement.tool is None or statement.tool not in wider:
        raise Unsaid("whether the agent's rule for this tool stops others too is not known")
    for other in wider[statement.tool]:
        if not_always(data, dialect, Statement(other)) is not None:
            raise Unsaid(f"the agent's rule for it also stops {other}, which the policy does not always deny")
