"""The alternatives that a clause's key may name."""

from __future__ import annotations


def listed(value: object) -> list[object]:
    """A list as it is, anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def alternatives(value: object) -> tuple[list[str], list[str]]:
    """The alternatives of a string or list, and those that a leading ``!`` takes away."""
    texts = [str(item) for item in listed(value)]
    unwanted = [text[1:] for text in texts if text[:1] == "!" and len(text) > 1]
    wanted = [text for text in texts if text[:1] != "!" or len(text) == 1]
    return wanted or ["**"], unwanted
