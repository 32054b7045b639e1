"""The JSON Schemas of what people write, as they ship and as the checks use them."""

from __future__ import annotations

import json
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from policyc.source.acceptor import compile_acceptor
from policyc.source.diagnostics import JsonPath
from policyc.source.findings import Findings
from policyc.source.nodes import Document
from policyc.source.shape import problems

_FOLDER = Path(__file__).parent / "schemas"
#: The schemas that ship: of a policy file, of ``bundle.yaml``, of ``values.yaml``, of a test file.
NAMES = ("policy", "bundle", "values", "test")


def schema_text(name: str) -> str:
    """The schema ``name`` as it ships."""
    return (_FOLDER / f"{name}.schema.json").read_text("utf-8")


class Shape:
    """A JSON Schema, compiled once."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.accepts = compile_acceptor(root, root)

    @cached_property
    def validator(self) -> Any:
        """jsonschema's validator of it, which takes longer to import than most checks take."""
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self.root)

    def report(
        self, value: Any, document: Document, at: JsonPath, findings: Findings
    ) -> tuple[JsonPath, ...]:
        """Report what is wrong with the shape of ``value``, found at ``at`` in ``document``, and where."""
        if self.accepts(value):
            return ()
        wrong = []
        for problem in problems(self.validator, value):
            path = (*at, *problem.at)
            place = document.place_of(path, key=problem.on_key)
            findings.add(problem.code, place, path, problem.message, problem.hint)
            wrong.append(path)
            if findings.full:
                break
        return tuple(wrong)


@cache
def shape(name: str, definition: str | None = None) -> Shape:
    """The schema ``name``, or its definition ``definition``."""
    root: dict[str, Any] = json.loads(schema_text(name))
    if definition is not None:
        root = {"$ref": f"#/$defs/{definition}", "$defs": root["$defs"]}
    return Shape(root)
