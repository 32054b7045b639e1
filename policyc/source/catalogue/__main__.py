"""Prints ``docs/diagnostics.md``: ``python -m policyc.source.catalogue > docs/diagnostics.md``."""

from __future__ import annotations

import sys

from policyc.source.catalogue.page import page

if __name__ == "__main__":
    sys.stdout.write(page())
