"""Did you mean: the closest known name, by spelling or by what other systems call it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: What people write who come from another policy language -> what it is called here.
_ELSEWHERE = {
    "block": ("deny",),
    "denied": ("deny",),
    "allowed": ("allow",),
    "negate": ("not",),
    "reject": ("deny",),
    "forbid": ("deny",),
    "permit": ("allow",),
    "accept": ("allow",),
    "ask": ("pending_approval",),
    "hold": ("pending_approval",),
    "approve": ("pending_approval",),
    "require_approval": ("pending_approval",),
    "log": ("audit",),
    "warn": ("audit",),
    "==": ("eq",),
    "equals": ("eq",),
    ">": ("gt",),
    ">=": ("gte",),
    "ge": ("gte",),
    "<": ("lt",),
    "<=": ("lte",),
    "le": ("lte",),
    "matches": ("regex",),
    "re": ("regex",),
    "one_of": ("in",),
    "cidr": ("cidr_match",),
    "startswith": ("starts_with",),
    "prefix": ("starts_with",),
    "endswith": ("ends_with",),
    "suffix": ("ends_with",),
    "tool": ("tool_name_glob",),
    "tools": ("tool_name_glob",),
    "name": ("label", "policy", "bundle"),
    "id": ("label",),
    "action": ("verdict",),
    "effect": ("verdict",),
    "decision": ("verdict",),
    "message": ("reason",),
    "when": ("args_match",),
    "args": ("args_match",),
    "conditions": ("clauses", "args_match"),
    "operator": ("op",),
    "default": ("default_verdict", "default_policy"),
    "default_action": ("default_verdict",),
    "includes": ("include",),
    "import": ("include",),
    "stages": ("stage",),
    "surface": ("stage",),
}
_CUTOFF = 0.7


def closest(word: str, known: Iterable[str]) -> str | None:
    """The name in ``known`` that ``word`` most likely stands for, or None."""
    names = list(known)
    folded = word.strip().lower().replace("-", "_")[:100]
    for name in (folded, *_ELSEWHERE.get(folded, ())):
        if name in names:
            return name
    found = difflib.get_close_matches(folded, names, n=1, cutoff=_CUTOFF)
    return found[0] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """``did you mean `x`?`` for the closest name; else what there is to choose from, when that is short."""
    names = list(known)
    found = closest(word, names)
    if found is not None:
        return f"did you mean `{found}`?"
    return f"there are: {', '.join(f'`{name}`' for name in names)}" if 0 < len(names) <= 16 else None
