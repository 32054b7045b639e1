"""Source files in one form: the same facts, the same comments, laid out alike whoever wrote them."""

from __future__ import annotations

from policyc.formatting.source import Formatted, format_source
from policyc.formatting.targets import source_files

__all__ = ["Formatted", "format_source", "source_files"]
