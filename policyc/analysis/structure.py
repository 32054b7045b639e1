"""What two plans say differently, rule by rule: told apart by their labels, not by their lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from policyc.hooks.managed import guarded

#: Parts of a policy that are looked at field by field; where it was written does not count.
_SETTINGS = ("default_verdict", "shadow")
_PLACES = ("source", "label")
#: Keys of a clause that are left out where they have these values.
_UNSAID = {"not": False, "on_missing": "no_match", "unknown": None}


@dataclass(frozen=True, slots=True)
class Edit:
    """``kind``: added, removed, moved or changed; covered or uncovered, of tools at hooks.

    ``rule`` is None where the policy or the bundle is meant. ``fields`` are the values before and after;
    ``place`` is ``file:line``, in the new plan where it is there.
    """

    kind: str
    policy: str
    rule: str | None
    place: str
    fields: Mapping[str, tuple[Any, Any]]


def edits(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Edit]:
    """``old`` and ``new`` are the data of plans."""
    found = [*_bundle(old, new), *_hooks(old, new)]
    before, after = old["policies"], new["policies"]
    for name in sorted({*before, *after}):
        if name not in after:
            found.append(Edit("removed", name, None, _place(before[name]), {}))
        elif name not in before:
            found.append(Edit("added", name, None, _place(after[name]), {}))
        else:
            found += _policy(name, before[name], after[name])
    return found


def _bundle(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Edit]:
    fields = {
        key: (old.get(key), new.get(key))
        for key in ("default_policy", "bindings", "hooks", "network", "server", "mask", "meta_tools")
        if old.get(key) != new.get(key)
    }
    if fields:
        yield Edit("changed", "", None, "bundle.yaml", fields)


def _hooks(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Edit]:
    """Tools that the hooks of the bundle start or stop standing before."""
    before, after = guarded(old), guarded(new)
    for kind, gone in (("uncovered", before - after), ("covered", after - before)):
        if gone:
            yield Edit(kind, "", None, "bundle.yaml", {"tools": (sorted(before), sorted(after))})


def _policy(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Edit]:
    settings = {key: (old[key], new[key]) for key in _SETTINGS if old[key] != new[key]}
    if settings:
        yield Edit("changed", name, None, _place(new), settings)
    before = {rule["label"]: rule for rule in old["rules"]}
    after = {rule["label"]: rule for rule in new["rules"]}
    renamed = _renamed(before, after)
    moved = _moved([renamed.get(label, label) for label in before], list(after))
    for label, rule in before.items():
        if renamed.get(label, label) not in after:
            yield Edit("removed", name, label, _place(rule), {})
    for label, rule in after.items():
        origin = next((was for was, now in renamed.items() if now == label), label)
        if origin not in before:
            yield Edit("added", name, label, _place(rule), {})
            continue
        fields = _fields(before[origin], rule)
        if origin != label:
            fields["label"] = (origin, label)
        if fields:
            yield Edit("changed", name, label, _place(rule), fields)
        elif label in moved:
            yield Edit("moved", name, label, _place(rule), {})


def _renamed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """Rules that have another label and are otherwise the same."""
    gone = {_content(rule): label for label, rule in before.items() if label not in after}
    fresh = {_content(rule): label for label, rule in after.items() if label not in before}
    return {gone[content]: fresh[content] for content in gone if content in fresh}


def _content(rule: Mapping[str, Any]) -> str:
    return json.dumps({key: value for key, value in rule.items() if key not in _PLACES}, sort_keys=True)


def _moved(before: list[str], after: list[str]) -> set[str]:
    """Labels on both sides that are not in one common order."""
    kept = [label for label in before if label in set(after)]
    there = [label for label in after if label in set(before)]
    blocks = SequenceMatcher(None, kept, there, autojunk=False).get_matching_blocks()
    return set(there) - {label for block in blocks for label in there[block.b : block.b + block.size]}


def _fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    keys = [key for key in (*old, *(key for key in new if key not in old)) if key not in _PLACES]
    found = {key: (old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)}
    if "clauses" in found:
        found["clauses"] = _clauses(old["clauses"], new["clauses"])
    return found


def _clauses(old: list[Any], new: list[Any]) -> tuple[list[Any], list[Any]]:
    """The clauses of either side that the other does not have, as they are written; all, where only their
    order differs."""
    gone, fresh = [it for it in old if it not in new], [it for it in new if it not in old]
    if not gone and not fresh:
        gone, fresh = old, new
    return [_written(clause) for clause in gone], [_written(clause) for clause in fresh]


def _written(clause: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in clause.items()
        if key in ("path", "op", "value", "match") or (key in _UNSAID and value != _UNSAID[key])
    }


def _place(data: Mapping[str, Any]) -> str:
    source = data["source"]
    return f"{source['path']}:{source['line']}"
