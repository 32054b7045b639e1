"""What the JSON Schemas say of a place in a document: the keys that may stand there, the values, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from policyc.source.diagnostics import JsonPath
from policyc.source.schema import schema_text

Schema = dict[str, Any]


@cache
def root_of(name: str) -> Schema:
    """The schema of a kind of file, as it ships."""
    root: Schema = json.loads(schema_text(name))
    return root


def at(name: str, path: JsonPath) -> list[Schema]:
    """The schemas of the value at ``path`` in a file of the kind ``name``, references followed."""
    root = root_of(name)
    found = list(_resolved(root, root))
    for step in path:
        found = [inner for schema in found for inner in _inside(schema, step, root)]
    return found


def keys(schemas: list[Schema]) -> dict[str, Schema]:
    """The keys of the mappings that ``schemas`` allow, each with its own schema."""
    return {
        key: schema
        for allowed in schemas
        for key, schema in allowed.get("properties", {}).items()
        if schema is not False
    }


def values(schemas: list[Schema]) -> list[str]:
    """The scalars that ``schemas`` name, as they are written."""
    found = [value for schema in schemas for value in schema.get("enum", ())]
    if any(schema.get("type") == "boolean" for schema in schemas):
        found += [True, False]
    return list(dict.fromkeys(json.dumps(value).strip('"') for value in found))


def description(name: str, path: JsonPath) -> str | None:
    """What the schema tells about the key at the end of ``path``."""
    if not path or not isinstance(path[-1], str):
        return None
    for schema in at(name, path[:-1]):
        about = schema.get("properties", {}).get(path[-1])
        if isinstance(about, dict):
            said = about.get("description") or next(
                (it["description"] for it in _resolved(about, root_of(name)) if "description" in it), None
            )
            if said is not None:
                return str(said)
    return None


def _inside(schema: Schema, step: str | int, root: Schema) -> Iterator[Schema]:
    if isinstance(step, int):
        inner = schema.get("items")
    else:
        inner = schema.get("properties", {}).get(step, schema.get("additionalProperties"))
    if isinstance(inner, dict):
        yield from _resolved(inner, root)


def _resolved(schema: Schema, root: Schema) -> Iterator[Schema]:
    yield schema
    if "$ref" in schema:
        yield from _resolved(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    for word in ("anyOf", "oneOf", "allOf"):
        for option in schema.get(word, ()):
            yield from _resolved(option, root)
