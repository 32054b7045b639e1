"""What the schemas call each value of a file, and the order in which they list its keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from policyc.formatting.nodes import MAPPING, SEQUENCE, Entry, Node
from policyc.source.schema import schema_text


def arrange(root: Node, schema: str | None, *, reorder: bool) -> None:
    """Names the values below ``root`` by the schema of that name (none: of no known kind), and with
    ``reorder`` puts their keys in its order; keys that it does not list stay behind them as they are."""
    if schema is not None:
        whole = _schema(schema)
        _Arranging(whole.get("$defs", {}), reorder).visit(root, [("", whole)], in_rule=False)


@cache
def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema_text(name))
    return found


class _Arranging:
    def __init__(self, definitions: dict[str, Any], reorder: bool) -> None:
        self._definitions = definitions
        self._reorder = reorder

    def visit(self, node: Node, schemas: list[tuple[str, Any]], *, in_rule: bool) -> None:
        options = [option for name, schema in schemas for option in self._options(name, schema)]
        fitting = [(name, schema) for name, schema in options if _takes(schema, node)]
        node.definition = next((name for name, _ in fitting if name), "")
        node.in_rule = in_rule
        below = in_rule or node.definition == "rule"
        if node.kind == SEQUENCE:
            inner = [("", schema["items"]) for _, schema in fitting if "items" in schema]
            for entry in node.entries:
                self.visit(entry.value, inner, in_rule=below)
        elif node.kind == MAPPING:
            self._mapping(node, [schema for _, schema in fitting], below)

    def _mapping(self, node: Node, schemas: list[Any], in_rule: bool) -> None:
        places: dict[str, int] = {}
        for schema in schemas:
            for key in schema.get("properties", {}):
                places.setdefault(key, len(places))
        for entry in node.entries:
            self.visit(entry.value, list(_inner(schemas, _name(entry))), in_rule=in_rule)
        if self._reorder:
            node.entries.sort(key=lambda entry: places.get(_name(entry), len(places)))

    def _options(self, name: str, schema: Any) -> Iterator[tuple[str, Any]]:
        """The schema, what it refers to, and its branches, each with the name of its definition."""
        if not isinstance(schema, dict):
            return
        yield name, schema
        if "$ref" in schema:
            referred = schema["$ref"].removeprefix("#/$defs/")
            yield from self._options(referred, self._definitions[referred])
        for branch in schema.get("anyOf", ()):
            yield from self._options(name, branch)


def _takes(schema: Any, node: Node) -> bool:
    if node.kind == MAPPING:
        return bool({"properties", "additionalProperties"} & set(schema))
    return "items" in schema if node.kind == SEQUENCE else True


def _inner(schemas: list[Any], key: str) -> Iterator[tuple[str, Any]]:
    for schema in schemas:
        found = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        if found is not None:
            yield key, found


def _name(entry: Entry) -> str:
    return "" if entry.key is None else entry.key.text
