"""Rules, clauses and budgets with something changed; the engine's own are shared and never written to."""

from __future__ import annotations

from typing import Any, TypeVar

from policyc.engine.model import Budget, Clause, Rule

Part = TypeVar("Part", Rule, Clause, Budget)


def changed(part: Part, **changes: Any) -> Part:
    """``part`` with these attributes instead of its own."""
    kept = {name: getattr(part, name) for name in type(part).__slots__}
    return type(part)(**{**kept, **changes})
