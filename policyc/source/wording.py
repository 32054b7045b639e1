"""Values and types as messages say them."""

from __future__ import annotations

from typing import Any

from policyc.engine.operators import kind

_LONGEST = 60
_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "boolean": "true or false",
    "null": "null",
    "number": "a number",
    "integer": "a whole number",
}


def types(names: list[str]) -> str:
    """JSON Schema types: ``a string or a list``."""
    return " or ".join(_TYPES[name] for name in names)


def found(value: Any) -> str:
    """What a value is, with the value where it is short: ``a string ("high")``."""
    if isinstance(value, dict):
        return "a mapping"
    return kind(value) if value is None or isinstance(value, list) else f"{kind(value)} ({shown(value)})"


def shown(value: Any) -> str:
    """A scalar as it is written, shortened; what it is for the rest."""
    if isinstance(value, str):
        return f'"{shortened(value)}"'
    return kind(value) if isinstance(value, (list, dict)) else f"`{plain(value)}`"


def plain(value: Any) -> str:
    """A scalar without quotes."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else shortened(str(value))


def shortened(text: str) -> str:
    """``text``, cut where it is too long for a message."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def type_hint(value: Any, expected: list[str]) -> str | None:
    """What to write when ``value`` was meant, under JSON Schema types that it has not."""
    if value is None:
        return "give it a value, or remove the key"
    if isinstance(value, str) and {"integer", "number"} & set(expected):
        return "write it without quotes" if value.strip("+-").replace(".", "", 1).isdigit() else None
    if isinstance(value, (list, dict)):
        return None
    if "string" in expected:
        return f'quote it: "{plain(value)}"'
    return f"write a list: [{plain(value)}]" if "array" in expected else None
