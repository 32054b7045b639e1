"""What can stand where the cursor is: keys and values of the schema, and names that the bundle knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from policyc.compiler.presets import shipped_presets
from policyc.engine.dialects import MODULES, load
from policyc.lsp import schemas
from policyc.lsp.cursor import Cursor
from policyc.lsp.project import Reading
from policyc.source.diagnostics import JsonPath
from policyc.source.tree import POLICIES


@dataclass(frozen=True, slots=True)
class Suggestion:
    """``kind`` is key, value, policy, preset, tool or name."""

    text: str
    kind: str
    about: str | None = None


def suggestions(kind: str, cursor: Cursor, reading: Reading | None, path: str) -> list[Suggestion]:
    """What can stand at ``cursor`` in the file ``path``, of the schema ``kind``."""
    found: list[Suggestion] = []
    allowed = schemas.at(kind, cursor.path)
    if cursor.on_key:
        found += [
            Suggestion(key, "key", schemas.description(kind, (*cursor.path, key)))
            for key in schemas.keys(allowed)
        ]
    if cursor.on_value:
        found += [Suggestion(value, "value") for value in schemas.values(allowed)]
        found += _names(kind, cursor.path, reading, path)
    return found


def _names(kind: str, path: JsonPath, reading: Reading | None, file: str) -> Iterator[Suggestion]:
    keys = tuple(step for step in path if isinstance(step, str))
    source = _SOURCES.get((kind, keys[-1] if keys else ""))
    if source is not None:
        yield from source(reading, file)


def _policies(reading: Reading | None, file: str) -> Iterator[Suggestion]:
    for policy in reading.scope.policies.values() if reading is not None else ():
        if policy.path != file:
            yield Suggestion(policy.name or "", "policy", policy.description)


def _included(reading: Reading | None, file: str) -> Iterator[Suggestion]:
    yield from _policies(reading, file)
    for name in shipped_presets():
        yield Suggestion(name, "preset", _description(name))


def _description(preset: str) -> str | None:
    """What the policy that the preset is named after says of itself."""
    files = shipped_presets()[preset].files
    first = files.get(f"{POLICIES}/{preset}.yaml", b"").decode().partition("\n")[0]
    return first.removeprefix("description:").strip() if first.startswith("description:") else None


def _values(reading: Reading | None, _file: str) -> Iterator[Suggestion]:
    values = None if reading is None else reading.scope.values
    for name, value in values.values.items() if values is not None else ():
        yield Suggestion(name, "name", None if value is None else f"values.yaml: {value.value!r}"[:200])


def _tools(reading: Reading | None, _file: str) -> Iterator[Suggestion]:
    known = known_tools()
    yield from (Suggestion(name, "tool", about) for name, about in known.items())
    globs = {
        glob
        for policy in (
            reading.plan.policies.values() if reading is not None and reading.plan is not None else ()
        )
        for rule in policy.rules
        if not rule.source.path.startswith("preset:")
        for glob in rule.tools or ()
    }
    yield from (Suggestion(glob, "tool", "in this bundle") for glob in sorted(globs - set(known)))


def _labels(reading: Reading | None, _file: str) -> Iterator[Suggestion]:
    policies = () if reading is None or reading.plan is None else reading.plan.policies.values()
    labels = {rule.label: rule for policy in policies for rule in policy.rules}
    yield from (Suggestion(label, "name", f"{rule.verdict}, {rule.source}") for label, rule in labels.items())


@cache
def known_tools() -> dict[str, str]:
    """The tools of the agents that policyc knows: canonical names first, then each agent's own."""
    canonical: dict[str, list[str]] = {}
    native: dict[str, list[str]] = {}
    for target in MODULES:
        for name, tool in load(target).tools.items():
            native.setdefault(name, []).append(target)
            for known in (tool.canonical, *tool.also):
                canonical.setdefault(known, []).append(name)
    said = {name: f"canonical: {', '.join(sorted(set(names)))}" for name, names in sorted(canonical.items())}
    return said | {name: f"of {', '.join(targets)}" for name, targets in sorted(native.items())}


#: Schema and key -> what its values name.
_SOURCES: dict[tuple[str, str], Callable[[Reading | None, str], Iterator[Suggestion]]] = {
    ("policy", "include"): _included,
    ("policy", "extends"): _included,
    ("policy", "tool_name_glob"): _tools,
    ("policy", "from"): _values,
    ("bundle", "default_policy"): _policies,
    ("bundle", "policy"): _policies,
    ("test", "tool"): _tools,
    ("test", "policy"): _policies,
    ("test", "rule"): _labels,
}
