"""``policyc lint``: what is wrong with policies that compile."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from policyc.analysis.lint import Finding, Linted, lint
from policyc.analysis.lint.catalogue import CATALOGUE
from policyc.analysis.lint.tool_list import ToolList, ToolListError, read_tool_list
from policyc.cli.answers import PATH, REFUSED, compiled, counted, fail, opened, print_json
from policyc.cli.remarks import Remark, sarif, workflow_commands
from policyc.engine.documents import Malformed, parse
from policyc.engine.plan import Plan
from policyc.source.render import visible


@click.command("lint")
@click.argument("target", type=PATH)
@click.option("--tools", type=PATH, metavar="FILE", help="An MCP server's answer to tools/list, as JSON.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Output form.",
)
def command(target: Path, tools: Path | None, form: str) -> None:
    """Find rules of TARGET, a bundle folder or policy file, that do not do what they seem to.

    A comment `# policyc: ignore[code] reason` at the rule silences a finding. Exit 1 when one is left.
    """
    known = None if tools is None else _tools(tools, form)
    built = compiled(target, form)
    linted = lint(Plan.load(built.data), built.sources, known)
    _print(linted, target, form)
    sys.exit(REFUSED if linted.findings else 0)


def _tools(path: Path, form: str) -> ToolList:
    try:
        return read_tool_list(parse(path.read_bytes()))
    except OSError as error:
        fail("unreadable_file", f"cannot read {path}: {error.strerror}", form=form)
    except (Malformed, ToolListError) as error:
        fail(
            "invalid_tools", f"{path}: {error}", "Save what the MCP server answers to tools/list.", form=form
        )


def _print(linted: Linted, target: Path, form: str) -> None:
    remarks = [_remark(finding, target) for finding in linted.findings]
    if form == "sarif":
        print_json(sarif(remarks, {code: entry.title for code, entry in CATALOGUE.items()}))
    elif form == "github":
        for line in workflow_commands(remarks):
            click.echo(line)
    elif form == "json":
        print_json(_document(linted, target))
    else:
        _text(linted, target)


def _document(linted: Linted, target: Path) -> dict[str, object]:
    return {
        "ok": not linted.findings,
        "findings": [_finding(it, target) for it in linted.findings],
        "silenced": [_finding(it, target) for it in linted.silenced],
        "unknown": linted.unknown,
    }


def _finding(finding: Finding, target: Path) -> dict[str, object]:
    return {
        "code": finding.code,
        "path": opened(finding.path, target),
        "line": finding.line,
        "message": finding.message,
        "hint": finding.hint,
    }


def _text(linted: Linted, target: Path) -> None:
    for finding in linted.findings:
        path = opened(finding.path, target)
        click.echo(visible(f"{path}:{finding.line}: warning[{finding.code}]: {finding.message}"))
        if finding.hint:
            click.echo(visible(f"  help: {finding.hint}"))
    for text in linted.unknown:
        click.echo(visible(f"unknown: {text}"))
    silenced = f", {len(linted.silenced)} silenced" if linted.silenced else ""
    click.echo(f"{target}: {counted(len(linted.findings), 'finding')}{silenced}")


def _remark(finding: Finding, target: Path) -> Remark:
    hint = f" ({finding.hint})" if finding.hint else ""
    return Remark(
        finding.code, "warning", opened(finding.path, target), finding.line, f"{finding.message}{hint}"
    )
