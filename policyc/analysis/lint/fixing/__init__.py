"""Findings mended where there is one way to do it, and it is proved to do that alone."""

from __future__ import annotations

from policyc.analysis.lint.fixing.run import Fix, Fixed, fix

__all__ = ["Fix", "Fixed", "fix"]
