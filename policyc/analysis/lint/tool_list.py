"""Rules held against the tools that there are: an MCP server's answer to ``tools/list``.

https://modelcontextprotocol.io/specification/2025-06-18/server/tools
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from policyc.analysis.conditions import condition
from policyc.analysis.lint.finding import Finding, at
from policyc.analysis.names import pairs
from policyc.engine.globs import matches
from policyc.engine.model import Clause, Policy, Rule
from policyc.source.suggest import closest

#: Name -> the JSON Schema of its arguments.
ToolList = Mapping[str, Mapping[str, Any]]

_TYPES = {
    "number": ("gt", "gte", "lt", "lte"),
    "string": ("contains", "starts_with", "ends_with", "regex", "cidr_match", "path", "host", "shell"),
}


class ToolListError(Exception):
    """Not an answer to ``tools/list``."""


def read_tool_list(document: object) -> ToolList:
    """The tools of a result, of a whole JSON-RPC answer, or of a plain list. Raises ToolListError."""
    found: Any = document
    for key in ("result", "tools"):
        found = found.get(key, found) if isinstance(found, dict) else found
    if not isinstance(found, list) or not all(_is_tool(tool) for tool in found):
        raise ToolListError("not a list of tools, each with a name")
    return {tool["name"]: tool.get("inputSchema") or {} for tool in found}


def _is_tool(tool: object) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def unknown_tools(policy: Policy, tools: ToolList) -> Iterator[Finding]:
    """Globs that cover none of ``tools`` and no tool of an agent; and clauses on arguments that no covered
    tool has, or has with another type."""
    for rule in policy.rules:
        for glob in rule.tools or ():
            if not _covered([glob], tools) and not _is_of_an_agent(glob):
                near = closest(glob.replace("*", ""), [*tools])
                hint = None if near is None else f"did you mean `{near}`?"
                yield at(
                    rule.source, "unknown_tool", f"{glob!r} of rule {rule.label!r} covers no known tool", hint
                )
        schemas = [tools[name] for name in _covered(rule.tools or ("*",), tools)]
        if schemas and rule.tools is not None and not any(map(_covers_canonical, rule.tools)):
            for clause in rule.clauses:
                yield from _argument(rule, clause, schemas)


def _covered(globs: Sequence[str], tools: ToolList) -> list[str]:
    """A name may stand in a glob by itself or as ``mcp.<server>.<tool>``."""
    return [name for name in tools if any(_matches(glob, name) for glob in globs)]


def _matches(glob: str, name: str) -> bool:
    server = glob.split(".")[1] if glob.startswith("mcp.") and glob.count(".") > 1 else ""
    return matches(glob, name) or (glob.startswith("mcp.") and matches(glob, f"mcp.{server}.{name}"))


def _is_of_an_agent(glob: str) -> bool:
    return any(matches(glob, name) for pair in pairs() for name in pair)


def _covers_canonical(glob: str) -> bool:
    """Such a rule is about arguments that adapters set."""
    return any(matches(glob, canonical) for _native, canonical in pairs())


def _argument(rule: Rule, clause: Clause, schemas: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    asked = condition(clause)
    if asked.path is None or not all(_is_closed(schema) for schema in schemas):
        return
    found = [schema for each in schemas if (schema := _at(each, asked.path)) is not None]
    if not found:
        known = sorted({name for schema in schemas for name in _arguments(schema)})
        near = closest(".".join(map(str, asked.path)), known)
        hint = f"they have {', '.join(known)}" if near is None else f"did you mean `$.{near}`?"
        yield at(
            rule.source,
            "unknown_argument",
            f"no tool that rule {rule.label!r} covers has an argument `{clause.path}`",
            hint,
        )
    elif not any(_may_be(schema, clause.op) for schema in found):
        types = sorted({str(schema["type"]) for schema in found})
        yield at(
            rule.source,
            "argument_type",
            f"`{clause.op}` of rule {rule.label!r} never holds: `{clause.path}` is {' or '.join(types)}",
        )


def _arguments(schema: Any, depth: int = 4) -> Iterator[str]:
    """The names of the arguments that a schema has, those inside others with dots."""
    properties = schema.get("properties") if isinstance(schema, dict) and depth else None
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield name
        yield from (f"{name}.{below}" for below in _arguments(inner, depth - 1))


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Whether the schema says what arguments there are."""
    return isinstance(schema.get("properties"), dict)


def _at(schema: Any, path: tuple[str | int, ...]) -> Mapping[str, Any] | None:
    """The schema of what stands at ``path``; an empty one where nothing is said of it."""
    for key in path:
        if not isinstance(schema, dict) or not ({"properties", "items"} & set(schema)):
            return {}
        if isinstance(key, int):
            schema = schema.get("items", {})
        elif key in schema.get("properties", {}):
            schema = schema["properties"][key]
        else:
            return None
    return schema if isinstance(schema, dict) else {}


def _may_be(schema: Mapping[str, Any], op: str) -> bool:
    types = schema.get("type")
    if types is None:
        return True
    names = {
        "number" if name == "integer" else name for name in (types if isinstance(types, list) else [types])
    }
    return all(op not in ops or wanted in names for wanted, ops in _TYPES.items())
