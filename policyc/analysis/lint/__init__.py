"""What is wrong with policies that compile: proved where it can be, and said with a call that shows it."""

from __future__ import annotations

from policyc.analysis.lint.finding import Finding, Linted
from policyc.analysis.lint.run import lint

__all__ = ["Finding", "Linted", "lint"]
