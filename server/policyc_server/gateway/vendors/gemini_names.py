"""Keys of Gemini documents, which may be written `functionCall` or `function_call`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from policyc_server.gateway.vendors.shapes import as_object
from policyc_server.gateway.vendors.vendor import Document, Unreadable

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


def snake(key: str) -> str:
    """`functionCall` as `function_call`."""
    return _HUMP.sub(r"_\1", key).lower()


def key_of(document: Mapping[str, Any], name: str) -> str | None:
    """The key of ``document`` that means ``name`` (`function_call`). Raises Unreadable where two do."""
    found = [key for key in document if snake(key) == name]
    if len(found) > 1:
        raise Unreadable(f"{' and '.join(found)} mean the same")
    return found[0] if found else None


def value_of(document: Mapping[str, Any], name: str) -> Any:
    """The value under the key that means ``name``; None where there is none. Raises Unreadable."""
    key = key_of(document, name)
    return None if key is None else document[key]


def listed(value: object, what: str) -> list[Document]:
    """Objects of a repeated field, which may also be written as one object. Raises Unreadable."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [as_object(entry, what) for entry in values]
