"""What the policies of a bundle say that an agent's own deny rules might say too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from policyc.bundle.errors import quote
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.reach import reachable
from policyc.hooks.generated import Native
from policyc.hooks.native.prefixes import prefixes
from policyc.hooks.native.proof import Subject, undenied
from policyc.hooks.touch import at_hooks, governing

_MCP: Final = re.compile(r"mcp\.([A-Za-z0-9_-]+)\.(\*|[A-Za-z0-9_-]+)")

#: How agents whose own rules can name MCP tools spell them: a rule on that name may come first.
_SPELLINGS: Final = (
    "mcp__{server}__{tool}",
    "mcp__plugin_*_{server}__{tool}",
    "mcp_{server}_{tool}",
)


@dataclass(frozen=True)
class Statement:
    """Calls that are always denied: of one ``tool`` of the agent's own, of an MCP ``server`` (all of its
    tools, or one), or of a shell with a command that starts with ``prefix``."""

    tool: str | None = None
    server: str | None = None
    prefix: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.server is not None:
            return f"{self.tool or 'every tool'} of the MCP server {self.server}"
        return f"the command {quote(' '.join(self.prefix))}" if self.prefix else f"the tool {self.tool}"


def statements(data: Mapping[str, Any], dialect: Dialect) -> tuple[dict[Statement, str], list[Native]]:
    """What is always denied, with the rule that says so, and what deny rules say that is not always so.

    ``data`` is a valid plan.
    """
    said: dict[Statement, str] = {}
    unsaid = []
    for because, rule in _deny_rules(data):
        candidates = list(_candidates(rule, dialect))
        if not candidates:
            unsaid.append(Native(because, None, _no_candidate(rule)))
        for statement in candidates:
            why = not_always(data, dialect, statement)
            if why is None:
                said.setdefault(statement, because)
            else:
                unsaid.append(Native(f"{because}, {statement}", None, why))
    for tool in dialect.tools:
        if not_always(data, dialect, Statement(tool)) is None:
            said.setdefault(Statement(tool), "default_verdict: deny")
    return said, unsaid


def not_always(data: Mapping[str, Any], dialect: Dialect, statement: Statement) -> str | None:
    """Why the policies do not always deny it; None where they do."""
    whys = (undenied(data, subject) for subject in _subjects(statement, dialect))
    return next((why for why in whys if why is not None), None)


def _subjects(statement: Statement, dialect: Dialect) -> Iterator[Subject]:
    if statement.server is not None:
        tool = statement.tool or "*"
        spellings = tuple(spelling.format(server=statement.server, tool=tool) for spelling in _SPELLINGS)
        yield Subject((f"mcp.{statement.server}.{tool}",), spellings)
        return
    shells = [name for name, tool in dialect.tools.items() if tool.canonical == "shell.exec"]
    for name in shells if statement.prefix else [statement.tool or ""]:
        known = dialect.tools.get(name)
        canonical = [known.canonical, *known.also] if known else []
        for second in canonical or [name]:
            yield Subject((name, second), prefix=statement.prefix or None)


def _deny_rules(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, policy in governing(data).items():
        for rule in policy["rules"]:
            if rule["verdict"] == "deny" and at_hooks(rule["stages"]):
                yield f"{name}: {quote(rule['label'])}", rule


def _candidates(rule: Mapping[str, Any], dialect: Dialect) -> Iterator[Statement]:
    names = reachable(rule["tools"], None, dialect)
    if rule["clauses"]:
        if any(dialect.tools[name].canonical == "shell.exec" for name in names):
            yield from (Statement(prefix=words) for words in prefixes(rule["clauses"]) or ())
        return
    yield from (Statement(name) for name in sorted(names))
    for found in filter(None, map(_MCP.fullmatch, rule["tools"] or ())):
        yield Statement(None if found[2] == "*" else found[2], found[1])


def _no_candidate(rule: Mapping[str, Any]) -> str:
    if rule["clauses"] or rule.get("egress") is not None:
        return "its conditions are more than a tool or the start of a command"
    return "it names no tool that this agent's own rules can name"
