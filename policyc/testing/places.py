"""The lines of rules' clauses, which a plan does not have, from the sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policyc.source.diagnostics import JsonPath
from policyc.source.nodes import Document
from policyc.source.read import read_document
from policyc.testing.coverage import RuleKey


class Places:
    """Finds lines in ``sources``, files by path. Each file is read once, when it is asked for."""

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        self._sources = sources
        self._rules: dict[str, dict[tuple[int, str | None], tuple[Document, JsonPath]]] = {}

    def line(self, rule: RuleKey, condition: str | int) -> int:
        """The line of a condition of ``rule``; the rule's own where there is no source to look in."""
        path, line, label = rule
        if path not in self._rules:
            self._rules[path] = _rules(path, self._sources.get(path))
        rules = self._rules[path]
        found = rules.get((line, label)) or rules.get((line, None))
        if found is None or condition == "rule":
            return line
        document, at = found
        clause: JsonPath = ("args_match", "clauses", condition)
        places = [(key,) for key in _KEYS[condition]] if isinstance(condition, str) else [clause]
        # What a place does not have is at the place itself: of the keys of a budget one is there.
        return max(document.place_of((*at, *below))[0] for below in places)


#: Condition -> the rule keys of which one says it.
_KEYS = {
    "skill": ("skill_name_glob",),
    "egress": ("egress",),
    "budget": ("cap_cost_cents", "rate", "sequence"),
}


def _rules(path: str, data: bytes | None) -> dict[tuple[int, str | None], tuple[Document, JsonPath]]:
    document = None if data is None else read_document(path, data)[0]
    if document is None:
        return {}
    root: Any = document.root
    base: JsonPath = () if isinstance(root, list) else ("rules",)
    rules = root if isinstance(root, list) else root.get("rules") or ()
    found = {}
    for number, rule in enumerate(rules):
        at = (*base, number)
        found[document.place_of(at)[0], rule.get("label")] = (document, at)
    return found
