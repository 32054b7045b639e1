"""The JSON Schema of hooks.json, and what is wrong with a document by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError, validators

from policyc.hooks.declared import matcher_problem
from policyc.source.diagnostics import format_path

HOOKS_SCHEMA_PATH: Final = Path(__file__).with_name("hooks.schema.json")


def load_schema() -> dict[str, Any]:
    """The schema as it ships."""
    schema: dict[str, Any] = json.loads(HOOKS_SCHEMA_PATH.read_text("utf-8"))
    return schema


def problems(document: object) -> list[tuple[str, str]]:
    """What is wrong in a hooks.json, as sorted ``($.path, message)``.

    Beyond what other validators check by the schema: a matcher that is not RE2 (``format: re2``), which the
    agent would skip without a word.
    """
    return _problems(_validator(), document)


def shape_problems(document: object) -> list[tuple[str, str]]:
    """As ``problems``, without the matchers: the agent skips a rule whose matcher is not RE2, and runs the
    others."""
    return _problems(Draft202012Validator(load_schema()), document)


def _problems(validator: Any, document: object) -> list[tuple[str, str]]:
    errors = validator.iter_errors(document)
    return sorted({(format_path(tuple(error.absolute_path)), _message(error)) for error in errors})


def _message(error: ValidationError) -> str:
    """The schema's own words for a value (``x-message``), else jsonschema's."""
    schema = error.schema if isinstance(error.schema, dict) else {}
    return str(schema.get("x-message", {}).get(error.validator, error.message))


@cache
def _validator() -> Any:
    checks = {"format": _check_format}
    return validators.extend(Draft202012Validator, checks)(load_schema())  # type: ignore[no-untyped-call]


def _check_format(_validator: Any, name: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if name != "re2" or not isinstance(value, str):
        return
    problem = matcher_problem(value)
    if problem is not None:
        yield ValidationError(f"{value!r} is not RE2, so it matches no tool: {problem}")
