"""What is wrong with the sources as an editor takes it: compile errors, lint findings, tests that fail."""

from __future__ import annotations

import re

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec, ServerTextPosition

from policyc.analysis.lint import Finding
from policyc.engine.explain import shown
from policyc.source.diagnostics import Diagnostic
from policyc.testing.case import Case
from policyc.testing.run import Failure

_SEVERITIES = {"error": lsp.DiagnosticSeverity.Error, "warning": lsp.DiagnosticSeverity.Warning}
_TOKEN = re.compile(r"[^\s,\[\]{}]+")


def of_problem(problem: Diagnostic, lines: list[str], codec: PositionCodec) -> lsp.Diagnostic:
    """A problem at the word where it is; ``lines`` are those of its file, ``codec`` counts as the editor."""
    line, column = problem.line - 1, problem.column - 1
    token = _TOKEN.match(_content(lines, line), column)
    end = token.end() if token is not None else column + 1
    return lsp.Diagnostic(
        _range(lines, line, column, end, codec),
        _with_help(problem.message, problem.hint),
        _SEVERITIES[problem.severity],
        problem.code,
        source="policyc",
    )


def of_finding(finding: Finding, lines: list[str], codec: PositionCodec) -> lsp.Diagnostic:
    """A finding of lint at the line where its rule begins."""
    return lsp.Diagnostic(
        _whole_line(lines, finding.line - 1, codec),
        _with_help(finding.message, finding.hint),
        lsp.DiagnosticSeverity.Warning,
        finding.code,
        source="policyc lint",
    )


def of_failure(case: Case, failure: Failure, lines: list[str], codec: PositionCodec) -> lsp.Diagnostic:
    """A test that fails, at the line of the step that does, with what decided instead."""
    said = [] if failure.problem is None else [failure.problem]
    said += [
        f"{found.key}: expected {shown(found.expected)}, got {shown(found.got)}"
        for found in failure.differences
    ]
    if failure.outcome is not None:
        by = "the default_verdict" if failure.outcome.rule is None else f"rule {failure.outcome.rule!r}"
        said.append(f"decided by {by} ({failure.outcome.source or 'no policy'}): {failure.outcome.reason}")
    return lsp.Diagnostic(
        _whole_line(lines, failure.line - 1, codec),
        "\n".join([f"test {case.title!r} fails", *said]),
        lsp.DiagnosticSeverity.Error,
        "test_fails",
        source="policyc test",
    )


def _with_help(message: str, hint: str | None) -> str:
    return message if hint is None else f"{message}\nhelp: {hint}"


def _whole_line(lines: list[str], line: int, codec: PositionCodec) -> lsp.Range:
    content = _content(lines, line)
    return _range(lines, line, len(content) - len(content.lstrip(" -")), len(content), codec)


def _content(lines: list[str], line: int) -> str:
    return lines[line] if line < len(lines) else ""


def _range(lines: list[str], line: int, start: int, end: int, codec: PositionCodec) -> lsp.Range:
    first, last = (
        codec.position_to_client_units(lines, ServerTextPosition(line, column)) for column in (start, end)
    )
    return lsp.Range(first, last)
