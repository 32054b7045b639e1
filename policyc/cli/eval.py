"""``policyc eval``: one decision, or a stream of them."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import click

from policyc.cli.answers import (
    PATH,
    REFUSED,
    UNUSABLE,
    fail,
    format_option,
    loaded,
    print_json,
    verify_key_option,
)
from policyc.engine.calls import CallError, read_call
from policyc.engine.decision import decision_document, decision_line
from policyc.engine.documents import Malformed, parse
from policyc.engine.explain import Trace
from policyc.engine.model import STAGES, Call, Outcome
from policyc.loading import Loaded


@click.command("eval")
@click.argument("target", type=PATH)
@click.option("--tool", help="Name of the tool.")
@click.option("--args", "arguments", default="{}", show_default=True, metavar="JSON", help="Its arguments.")
@click.option("--stage", type=click.Choice(STAGES), help="Where the call is seen; default mcp.")
@click.option("--agent", help="Who calls; selects the policy through the bundle's bindings.")
@click.option(
    "--calls", type=click.File("rb"), metavar="FILE|-", help="One JSON call or hook payload a line."
)
@click.option(
    "--counted",
    multiple=True,
    metavar="RULE=NUMBER",
    help="What a server would have counted for a rule with a budget, this call among it.",
)
@click.option("--explain", is_flag=True, help="Show every rule considered and why it was passed over.")
@verify_key_option
@format_option
def command(
    target: Path,
    tool: str | None,
    arguments: str,
    stage: str | None,
    agent: str | None,
    calls: BinaryIO | None,
    counted: tuple[str, ...],
    explain: bool,
    verify_keys: tuple[str, ...],
    form: str,
) -> None:
    """Decide a call under TARGET: a bundle folder, one policy file, or an artifact.

    Exit 0 when the call is allowed, 1 when not. With --calls, decisions are JSON lines in the order of the
    calls, and exit is 0 when every line could be read, else 2.
    """
    if (tool is None) == (calls is None):
        raise click.UsageError("give either --tool or --calls")
    if calls is not None and (stage, agent, arguments, counted) != (None, None, "{}", ()):
        raise click.UsageError("with --calls, each line has its own args, stage and agent, and no counts")
    decider = _Decider(loaded(target, verify_keys, form), explain)
    if calls is not None:
        sys.exit(_stream(decider, calls))
    document: dict[str, Any] = {"tool": tool, "args": _arguments(arguments, form)}
    document |= {key: value for key, value in (("stage", stage), ("agent", agent)) if value is not None}
    try:
        call = read_call(document)
    except CallError as error:
        fail("invalid_call", str(error), form=form)
    for part in call.parts:
        part.counted = dict(_counts(counted))
    outcome, trace = decider.decide(call)
    if form == "json":
        print_json(decider.document(call, outcome, trace))
    else:
        click.echo(decision_line(outcome))
        if trace is not None:
            _show(trace)
    sys.exit(0 if outcome.allowed else REFUSED)


def _show(trace: Trace) -> None:
    for line in trace.lines():
        click.echo(f"  {line}")
    near = trace.near_miss_lines()
    if near:
        click.echo("  near misses, the nearest first, with what does not hold")
    for line in near:
        click.echo(f"    {line}")


class _Decider:
    """Decides calls and writes their documents; the edge where ids are made."""

    def __init__(self, target: Loaded, explain: bool) -> None:
        self._target = target
        self._explain = explain

    def decide(self, call: Call) -> tuple[Outcome, Trace | None]:
        if not self._explain:
            return self._target.evaluator.decide(call), None
        trace = Trace()
        return self._target.evaluator.explain(call, trace), trace

    def document(self, call: Call, outcome: Outcome, trace: Trace | None) -> dict[str, Any]:
        document = decision_document(
            outcome, call, decision_id=str(uuid.uuid4()), revision=self._target.revision
        )
        return document if trace is None else {**document, "explain": trace.documents()}


def _counts(given: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for one in given:
        label, _, number = one.rpartition("=")
        if not label or not number.isascii() or not number.isdigit():
            raise click.UsageError(f"--counted {one!r} is not a rule's label, =, and a whole number")
        yield label, int(number)


def _arguments(text: str, form: str) -> object:
    try:
        return parse(text)
    except Malformed as error:
        fail(error.code, f"--args is not usable JSON: {error.message}", form=form)


def _stream(decider: _Decider, calls: BinaryIO) -> int:
    exit_code = 0
    for answer in _answers(decider, calls):
        exit_code = UNUSABLE if "error" in answer else exit_code
        click.echo(json.dumps(answer, ensure_ascii=False))
    return exit_code


def _answers(decider: _Decider, calls: BinaryIO) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(calls, start=1):
        try:
            call = read_call(parse(line))
        except Malformed as error:
            yield {"error": {"code": error.code, "message": error.message, "line": number}}
        except CallError as error:
            yield {
                "error": {
                    "code": "invalid_call",
                    "message": error.message,
                    "path": error.path,
                    "line": number,
                }
            }
        else:
            yield decider.document(call, *decider.decide(call))
