"""Regular expressions with RE2's syntax, answers and linear time.

google-re2 is the fast path where it is installed. Elsewhere, as in the gate, an automaton of our own gives
the same answers. It needs patterns without Unicode tables, which is how the compiler writes them.
"""

from __future__ import annotations

from policyc.engine.regex_errors import RegexError

try:
    from policyc.engine import regex_re2 as _engine
except ImportError:
    from policyc.engine import regex_pure as _engine  # type: ignore[no-redef]

__all__ = ["Pattern", "PatternSet", "RegexError", "compile_regex", "escape", "prepare"]

Pattern = _engine.Pattern
PatternSet = _engine.PatternSet
compile_regex = _engine.compile_regex
prepare = _engine.prepare


def escape(text: str) -> str:
    """``text`` as a pattern that matches just itself."""
    return "".join(
        char if char.isalnum() or ord(char) > 127 or char == "_" else f"\\x{{{ord(char):x}}}" for char in text
    )
