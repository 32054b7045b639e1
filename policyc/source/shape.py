"""jsonschema's errors as problems of the catalogue.

A schema may name the code of its own violation (``x-code``: keyword -> code). Where several shapes are
possible, the error is about the one that the author was writing: the right type, and the right ``type`` key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from policyc.source.diagnostics import JsonPath
from policyc.source.names import LONGEST, bundle_name, policy_name
from policyc.source.suggest import did_you_mean
from policyc.source.wording import found, shortened, shown, type_hint, types


@dataclass(frozen=True, slots=True)
class Problem:
    """What a schema does not allow. ``at`` is below the checked value; ``on_key`` points at the key there."""

    code: str
    at: JsonPath
    message: str
    hint: str | None = None
    on_key: bool = False


def problems(validator: Any, value: Any) -> Iterator[Problem]:
    """Everything in ``value`` that the schema does not allow; the same thing may come more than once."""
    return (problem for error in validator.iter_errors(value) for problem in _translate(error))


def _translate(error: Any) -> Iterator[Problem]:
    return _KEYWORDS[error.validator](error)


def _at(error: Any) -> JsonPath:
    return tuple(error.absolute_path)


def _name(error: Any) -> str:
    """What the author calls the value: its key, or its place in a list."""
    path = _at(error)
    if not path:
        return f"a {error.schema['title']}" if "title" in error.schema else "this"
    keys = [step for step in path if isinstance(step, str)]
    if isinstance(path[-1], str):
        return f"`{shortened(path[-1])}`"
    return f"an item of `{keys[-1]}`" if keys else "an item"


def _code(error: Any, default: str) -> str:
    code: str = error.schema.get("x-code", {}).get(error.validator, default)
    return code


def _additional(error: Any) -> Iterator[Problem]:
    properties: dict[str, Any] = error.schema.get("properties", {})
    for key in error.instance:
        if key in properties:
            continue
        at = (*_at(error), key)
        left = [name for name in properties if name not in error.instance]
        hint = _belongs_elsewhere(key, properties) or did_you_mean(key, left)
        yield Problem("unknown_key", at, f"unknown key `{shortened(key)}`", hint, on_key=True)


#: A property of an object -> keys that people put there, and where they stand.
_ELSEWHERE = {
    "handler": {"hooks": "write one entry with a `handler` for each of them"},
    "command": {"timeout": "`timeout` stands beside `handler`, not in it"},
    "url": {"timeout": "`timeout` stands beside `handler`, not in it"},
    "default_verdict": {
        "bundle": "this looks like a bundle.yaml: name its folder, not the file",
        **dict.fromkeys(
            ("default_policy", "bindings", "hooks", "server", "network"), "it belongs into bundle.yaml"
        ),
    },
    "default_policy": dict.fromkeys(
        ("rules", "default_verdict", "extends", "include"), "it belongs into a policy file under policies/"
    ),
}


def _belongs_elsewhere(key: str, properties: dict[str, Any]) -> str | None:
    return next(
        (keys[key] for marker, keys in _ELSEWHERE.items() if marker in properties and key in keys), None
    )


def _required(error: Any) -> Iterator[Problem]:
    for key in error.validator_value:
        if key not in error.instance:
            yield Problem("missing_key", _at(error), f"`{key}` is missing", None)


def _type(error: Any) -> Iterator[Problem]:
    expected = error.validator_value
    yield _wrong_type(error, [expected] if isinstance(expected, str) else list(expected))


def _wrong_type(error: Any, expected: list[str]) -> Problem:
    message = f"{_name(error)} must be {types(expected)}, not {found(error.instance)}"
    return Problem("wrong_type", _at(error), message, type_hint(error.instance, expected))


def _enum(error: Any) -> Iterator[Problem]:
    code, value = _code(error, "unknown_choice"), error.instance
    known = error.validator_value
    at = _at(error)
    if not isinstance(value, str):
        yield _wrong_type(error, ["string"])
    else:
        yield Problem(code, at, f"{_name(error)} cannot be {shown(value)}", did_you_mean(value, known))


def _min_items(error: Any) -> Iterator[Problem]:
    code = _code(error, "empty_list")
    hint = (
        "leave the key out to mean all of them"
        if code == "empty_glob_list"
        else "name at least one, or leave it out"
    )
    yield Problem(code, _at(error), f"{_name(error)} is an empty list", hint)


def _min_length(error: Any) -> Iterator[Problem]:
    yield Problem("empty_text", _at(error), f"{_name(error)} is empty", "give it a value, or remove the key")


def _bound(error: Any) -> Iterator[Problem]:
    most = "least" if error.validator == "minimum" else "most"
    message = f"{_name(error)} is {shown(error.instance)}; {error.validator_value:,} is the {most}"
    yield Problem("out_of_range", _at(error), message)


def _pattern(error: Any) -> Iterator[Problem]:
    lower = "[a-z]" in error.validator_value
    may = "lower-case letters, digits and `_`" if lower else "letters, digits, `_`, `-` and `.`"
    message = f"{_name(error)} cannot be {shown(error.instance)}: a name has {may}, and starts with a letter"
    if len(error.instance) > LONGEST:
        message = f"{_name(error)} has {len(error.instance)} characters; {LONGEST} are the most"
    fitting = (bundle_name if lower else policy_name)(error.instance)
    yield Problem(_code(error, "bad_name"), _at(error), message, f"write `{shortened(fitting)}`")


def _any_of(error: Any) -> Iterator[Problem]:
    branches: dict[int, list[Any]] = {}
    for context in error.context:
        branches.setdefault(context.schema_path[0], []).append(context)
    here = list(error.absolute_path)
    fitting = [items for items in branches.values() if not any(_is_type_error(item, here) for item in items)]
    if not fitting:
        expected = [name for items in branches.values() for item in items for name in _expected(item, here)]
        yield _wrong_type(error, list(dict.fromkeys(expected)))
    elif len(fitting) == 1:
        yield from (problem for item in fitting[0] for problem in _translate(item))
    else:
        yield from _by_type_key(error, fitting)


def _is_type_error(error: Any, here: list[Any]) -> bool:
    return error.validator == "type" and list(error.absolute_path) == here


def _expected(error: Any, here: list[Any]) -> list[str]:
    if not _is_type_error(error, here):
        return []
    names = error.validator_value
    return [names] if isinstance(names, str) else list(names)


def _by_type_key(error: Any, branches: list[list[Any]]) -> Iterator[Problem]:
    """Several objects are possible, told apart by their key ``type``."""
    here = list(error.absolute_path)
    chosen = [
        items for items in branches if not any(list(item.absolute_path) == [*here, "type"] for item in items)
    ]
    named = "type" in error.instance
    if named and len(chosen) == 1:
        yield from (problem for item in chosen[0] for problem in _translate(item))
        return
    known = [name for items in branches for item in items for name in _type_names(item)]
    if not named:
        choices = "there are: `type: command`, `type: http`, or the word `server` alone"
        yield Problem("missing_key", _at(error), "`type` is missing", choices)
        return
    value, at = error.instance["type"], (*_at(error), "type")
    hint = "write `handler: server`" if value == "server" else did_you_mean(str(value), known)
    yield Problem("unknown_handler", at, f"`type` cannot be {shown(value)}", hint)


def _type_names(error: Any) -> list[str]:
    return list(error.validator_value) if error.validator == "enum" else []


_KEYWORDS: dict[str, Callable[[Any], Iterator[Problem]]] = {
    "additionalProperties": _additional,
    "required": _required,
    "type": _type,
    "enum": _enum,
    "minItems": _min_items,
    "minLength": _min_length,
    "minimum": _bound,
    "maximum": _bound,
    "pattern": _pattern,
    "anyOf": _any_of,
}
