"""Prints ``docs/lint.md``: ``python -m policyc.analysis.lint > docs/lint.md``."""

from __future__ import annotations

import sys

from policyc.analysis.lint.catalogue import page

if __name__ == "__main__":
    sys.stdout.write(page())
