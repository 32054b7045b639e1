"""``policyc lint``: what is wrong with policies that compile."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from policyc.analysis.difference import Change
from policyc.analysis.lint import Finding, lint
from policyc.analysis.lint.catalogue import CATALOGUE
from policyc.analysis.lint.fixing import Fixed, fix
from policyc.analysis.lint.tool_list import ToolList, ToolListError, read_tool_list
from policyc.analysis.wording import shown, verdicts
from policyc.cli.answers import PATH, REFUSED, compiled, counted, fail, opened, print_json
from policyc.cli.remarks import Remark, sarif, workflow_commands
from policyc.cli.writing import write_files
from policyc.engine.documents import Malformed, parse
from policyc.engine.plan import Plan
from policyc.source.render import visible
from policyc.source.tree import read_tree


@click.command("lint")
@click.argument("target", type=PATH)
@click.option("--tools", type=PATH, metavar="FILE", help="An MCP server's answer to tools/list, as JSON.")
@click.option(
    "--fix", "mend", is_flag=True, help="Mend what can be mended in one way alone, proved to do only that."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Output form.",
)
def command(target: Path, tools: Path | None, mend: bool, form: str) -> None:
    """Find rules of TARGET, a bundle folder or policy file, that do not do what they seem to.

    A comment `# policyc: ignore[code] reason` at the rule silences a finding. Exit 1 when one is left.
    --fix takes away comments that silence nothing and rules that say nothing new, and escapes dots of hosts.
    """
    known = None if tools is None else _tools(tools, form)
    built = compiled(target, form)
    fixed = (
        fix(read_tree(target), known) if mend else Fixed(lint(Plan.load(built.data), built.sources, known))
    )
    write_files({Path(opened(path, target)): data for path, data in fixed.files.items()}, form)
    _print(fixed, target, form)
    sys.exit(REFUSED if fixed.linted.findings else 0)


def _tools(path: Path, form: str) -> ToolList:
    try:
        return read_tool_list(parse(path.read_bytes()))
    except OSError as error:
        fail("unreadable_file", f"cannot read {path}: {error.strerror}", form=form)
    except (Malformed, ToolListError) as error:
        fail(
            "invalid_tools", f"{path}: {error}", "Save what the MCP server answers to tools/list.", form=form
        )


def _print(fixed: Fixed, target: Path, form: str) -> None:
    linted = fixed.linted
    remarks = [_remark(finding, target) for finding in linted.findings]
    if form == "sarif":
        print_json(sarif(remarks, {code: entry.title for code, entry in CATALOGUE.items()}))
    elif form == "github":
        for line in workflow_commands(remarks):
            click.echo(line)
    elif form == "json":
        print_json(_document(fixed, target))
    else:
        _text(fixed, target)


def _document(fixed: Fixed, target: Path) -> dict[str, object]:
    linted = fixed.linted
    return {
        "ok": not linted.findings,
        "findings": [_finding(it, target) for it in linted.findings],
        "silenced": [_finding(it, target) for it in linted.silenced],
        "unknown": linted.unknown,
        "fixed": [
            {
                **_finding(one.finding, target),
                "fix": one.said,
                "changes": [_changed(change) for change in one.changes],
            }
            for one in fixed.fixes
        ],
    }


def _changed(change: Change) -> dict[str, object]:
    return {"from": change.before.verdict, "to": change.after.verdict, "witness": change.witness}


def _finding(finding: Finding, target: Path) -> dict[str, object]:
    return {
        "code": finding.code,
        "path": opened(finding.path, target),
        "line": finding.line,
        "message": finding.message,
        "hint": finding.hint,
    }


def _text(fixed: Fixed, target: Path) -> None:
    linted = fixed.linted
    for one in fixed.fixes:
        path = opened(one.finding.path, target)
        click.echo(visible(f"{path}:{one.finding.line}: fixed[{one.finding.code}]: {one.said}"))
        for change in one.changes or [None]:
            click.echo(f"  {_proved(change)}")
    for finding in linted.findings:
        path = opened(finding.path, target)
        click.echo(visible(f"{path}:{finding.line}: warning[{finding.code}]: {finding.message}"))
        if finding.hint:
            click.echo(visible(f"  help: {finding.hint}"))
    for text in linted.unknown:
        click.echo(visible(f"unknown: {text}"))
    silenced = f", {len(linted.silenced)} silenced" if linted.silenced else ""
    click.echo(f"{target}: {counted(len(linted.findings), 'finding')}{silenced}")


def _proved(change: Change | None) -> str:
    if change is None:
        return "proved that no verdict changes"
    return f"{change.direction}: {verdicts(change.before, change.after)}, as for {shown(change.witness)}"


def _remark(finding: Finding, target: Path) -> Remark:
    hint = f" ({finding.hint})" if finding.hint else ""
    return Remark(
        finding.code, "warning", opened(finding.path, target), finding.line, f"{finding.message}{hint}"
    )
