"""``policyc hooks run``: one event through a hooks.json, as the managed agent's runtime takes it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import click

from policyc.cli.answers import PATH, REFUSED, counted, fail, format_option, print_json
from policyc.compiler.hooks import EVENTS
from policyc.engine.decision import visible
from policyc.engine.documents import Malformed, parse
from policyc.hooks.errors import HooksError
from policyc.hooks.runtime import (
    Handled,
    HooksFile,
    Network,
    Result,
    Sandbox,
    discover,
    load_hooks,
    load_network,
    run_event,
)
from policyc.hooks.runtime.events import cause_line


@click.command("run")
@click.option(
    "--config", type=PATH, help="The hooks.json; else .agents/hooks.json, then /.agents/hooks.json."
)
@click.option("--event", type=click.Choice(EVENTS), required=True, help="Which event the payload is.")
@click.option(
    "--network",
    type=PATH,
    help="JSON with the environment's network; without it HTTP handlers reach no host.",
)
@click.option("--strict", is_flag=True, help="Exit 1 also when a handler failed and so let the call run.")
@format_option
def command(config: Path | None, event: str, network: Path | None, strict: bool, form: str) -> None:
    """Run the handlers of a hooks.json on the event that is read from standard input, and show what each did.

    Commands run here, in the current folder. Exit 0 when the call is allowed, 1 when it is denied.
    """
    try:
        hooks = load_hooks(config or discover(Path()))
        allowed = Network() if network is None else load_network(network, os.environ)
        result = asyncio.run(_until_terminated(hooks, event, _payload(), Sandbox(allowed)))
    except asyncio.CancelledError:
        sys.exit(128 + signal.SIGTERM)
    except HooksError as error:
        fail(error.code, error.message, error.hint, form=form)
    if form == "json":
        print_json(result.document())
    else:
        _print(result, strict)
    sys.exit(REFUSED if result.denied or (strict and not result.holds) else 0)


async def _until_terminated(
    hooks: HooksFile, event: str, payload: dict[str, object], sandbox: Sandbox
) -> Result:
    # As at Ctrl-C: what is stopped stops its handlers, which have process groups of their own.
    running = asyncio.create_task(run_event(hooks, event, payload, sandbox))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    return await running


def _payload() -> dict[str, object]:
    try:
        payload = parse(sys.stdin.buffer.read())
    except Malformed as error:
        raise HooksError("event_invalid", f"standard input is not usable JSON: {error.message}") from None
    if not isinstance(payload, dict):
        raise HooksError("event_invalid", "standard input is not a JSON object")
    return payload


def _print(result: Result, strict: bool) -> None:
    click.echo(visible(f"denied: {result.reason}") if result.denied else "allowed")
    for handled in result.trace:
        click.echo(f"  {handled.place} {handled.type}: {visible(_became(handled))}")
    if not result.tool_seen:
        click.echo(
            visible(f"note: the agent sends no events for the tool {result.tool!r}: no hook sees it"),
            err=True,
        )
    if strict and result.failures:
        click.echo(
            f"strict: {counted(len(result.failures), 'handler')} had no say, and let the call run", err=True
        )


def _became(handled: Handled) -> str:
    if handled.cause is not None:
        said = f"; stderr: {handled.stderr.strip()}" if handled.stderr.strip() else ""
        return f"{_run_facts(handled)}no say [{handled.cause}]: {cause_line(handled)}{said}"
    if handled.skipped is not None:
        return f"not run ({handled.skipped})"
    if not handled.matched:
        return "does not match"
    return f"{_run_facts(handled)}{handled.decision or 'done'}"


def _run_facts(handled: Handled) -> str:
    """``exit 1, 34.0 ms, ``; empty where nothing ran."""
    facts = [
        "" if handled.exit_code is None else f"exit {handled.exit_code}, ",
        "" if handled.status is None else f"status {handled.status}, ",
        "" if handled.milliseconds is None else f"{handled.milliseconds} ms, ",
    ]
    return "".join(facts)
