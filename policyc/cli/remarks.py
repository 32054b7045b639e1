"""What a command has to say about places in files, as SARIF and as annotations of a GitHub workflow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import policyc

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


@dataclass(frozen=True, slots=True)
class Remark:
    """``level`` is error, warning or note. ``line`` is 1-based."""

    code: str
    level: str
    path: str
    line: int
    message: str


def sarif(remarks: Iterable[Remark], rules: Mapping[str, str]) -> dict[str, Any]:
    """SARIF 2.1.0; ``rules`` says in a sentence what each code is."""
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "policyc",
                        "version": policyc.__version__,
                        "rules": [
                            {"id": code, "shortDescription": {"text": text}} for code, text in rules.items()
                        ],
                    }
                },
                "results": [_result(remark) for remark in remarks],
            }
        ],
    }


def _result(remark: Remark) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": quote(remark.path)}, "region": {"startLine": max(remark.line, 1)}}
    return {
        "ruleId": remark.code,
        "level": remark.level,
        "message": {"text": remark.message},
        "locations": [{"physicalLocation": place}],
    }


def workflow_commands(remarks: Iterable[Remark]) -> list[str]:
    """Annotations of a GitHub workflow: https://docs.github.com/actions/reference/workflow-commands-for-github-actions"""
    return [
        f"::{_LEVELS[remark.level]} file={_property(remark.path)},line={remark.line},"
        f"title={_property(remark.code)}::{_data(remark.message)}"
        for remark in remarks
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
