"""What is wrong with a pattern, in RE2's words or, for what people bring from other languages, in ours."""

from __future__ import annotations

#: RE2's words -> what the author wrote, and what to write instead.
_CONSTRUCTS = (
    ("(?=", "a lookahead (?=...)"),
    ("(?!", "a negative lookahead (?!...)"),
    ("(?<=", "a lookbehind (?<=...)"),
    ("(?<!", "a negative lookbehind (?<!...)"),
    ("(?>", "an atomic group (?>...)"),
    ("(?(", "a conditional (?(...)...)"),
    ("(?#", "an inline comment (?#...)"),
    ("(?P=", "a named backreference (?P=...)"),
    ("\\k", "a named backreference \\k"),
    ("\\g", "a backreference \\g"),
    ("\\Z", "\\Z (write \\z for the end of the text)"),
    ("\\h", "\\h (write [ \\t] for horizontal space)"),
    ("\\R", "\\R (write \\r?\\n for a line break)"),
)

LONE_SURROGATE = "the pattern has a lone surrogate, which is no Unicode text"
ONE_BYTE = "\\C (a single byte) is not taken: patterns read characters (write (?s:.) for any of them)"


class RegexError(ValueError):
    """A pattern RE2 does not take; the message says which construct."""


def explain(source: str, said: str) -> str:
    """The message for RE2's error ``said`` about ``source``."""
    culprit = said.rpartition(": ")[2]
    if culprit.startswith("\\") and culprit[1:2].isdigit():
        return f"a backreference {culprit} is not in RE2 (linear time needs patterns without memory)"
    for construct, name in _CONSTRUCTS:
        if culprit.startswith(construct) or (
            construct.startswith(culprit) and construct in source and culprit
        ):
            return f"{name} is not in RE2"
    if said.startswith("bad repetition operator") and culprit[-1:] == "+":
        return f"a possessive quantifier {culprit} is not in RE2"
    return said
