"""The table ``groups`` of a plan that runs in one process per call: which rules a tool, and a command line,
can be about, so that the engine reads no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from policyc.engine.one_call import OF_FILES
from policyc.engine.plan import read_rule
from policyc.engine.shell_index import add, is_gate

#: Where the command line of a shell's call is.
_COMMAND: Final = [["field", "command"]]


def groups(rules: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The groups of ``rules``, which are a plan's, as ``decide_one`` takes them, but that ``commands``
    is the index itself."""
    found: dict[str, dict[str, Any]] = {}
    for number, data in enumerate(rules):
        stages, tools = data.get("stages"), data.get("tools")
        group = found.setdefault(
            repr((stages, tools)), {"stages": stages, "tools": tools, "asks": [], "rules": [], "commands": {}}
        )
        rule = read_rule(data, f"$.rules[{number}]", is_own=True)
        group["asks"] = sorted({*group["asks"], *(c.op for c in rule.clauses if c.op in OF_FILES)})
        gates = [clause for clause in rule.clauses if is_gate(clause) and clause.steps == _COMMAND]
        if not add(group["commands"], gates, number):
            group["rules"].append(number)
    return list(found.values())
