"""Text as the operators see it."""

from __future__ import annotations


def clean(text: str) -> str:
    """``text`` with every lone surrogate as U+FFFD.

    JSON may carry ``"\\ud800"``, which is no Unicode text and which RE2 cannot read. All operators see the
    replacement, so that no operator can be dodged by adding one.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
