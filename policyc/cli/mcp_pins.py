"""``policyc mcp pins``: the tools of MCP servers as they were accepted, and those that changed since."""

from __future__ import annotations

import getpass
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from policyc_server.store.database import StoreError, sqlite_url
from policyc_server.store.mcp_tools import McpToolStore
from policyc_server.store.store import Store
from sqlalchemy.exc import SQLAlchemyError

from policyc.cli.answers import PATH, REFUSED, fail, format_option, print_json
from policyc.engine.decision import visible

#: Digits of a fingerprint that are shown, and that have to be given.
_SHOWN = 12


@click.group("pins")
def command() -> None:
    """Tools of MCP servers: what was accepted, and what changed since and is held."""


def _place_options(function: Callable[..., None]) -> Callable[..., None]:
    database = click.option("--database", envvar="POLICYC_DATABASE", metavar="URL", help="The store.")
    return click.option("--state", type=PATH, help="The folder of the store.")(database(function))


@command.command("list")
@click.option("--changed", "is_changed_only", is_flag=True, help="Only tools that are held.")
@_place_options
@format_option
def list_pins(is_changed_only: bool, form: str, **place: Any) -> None:
    """List every tool that was seen; of one that is held, what it was and what it is now."""
    with _opened(form, **place) as store:
        pins = [pin for pin in store.all() if pin.changed is not None or not is_changed_only]
    if form == "json":
        print_json({"pins": [pin.document() for pin in pins]})
        return
    for pin in pins:
        found = pin.accepted if pin.changed is None else pin.changed
        state = "accepted" if pin.changed is None else "changed "
        click.echo(visible(f"{state}  {found.fingerprint[:_SHOWN]}  {pin.server}  {pin.tool}"))
        for key, was, now in pin.differences():
            click.echo(visible(f"  {key}: {_shown(was)} -> {_shown(now)}"))


@command.command("accept")
@click.argument("server")
@click.argument("tool")
@click.argument("fingerprint")
@_place_options
@format_option
def accept(server: str, tool: str, fingerprint: str, form: str, **place: Any) -> None:
    """Accept TOOL of SERVER as what has this FINGERPRINT, of which `list` shows the start."""
    with _opened(form, **place) as store:
        pin = store.get(server, tool)
        changed = None if pin is None else pin.changed
        is_meant = (
            changed is not None and len(fingerprint) >= _SHOWN and changed.fingerprint.startswith(fingerprint)
        )
        if (
            changed is None
            or not is_meant
            or not store.accept(server, tool, changed.fingerprint, _me(), _now())
        ):
            fail(
                "pin_unknown",
                f"{server} has no changed tool {tool!r} of this fingerprint",
                "`policyc mcp pins list --changed` shows what is held",
                form=form,
                exit_code=REFUSED,
            )
    if form == "json":
        print_json({"server": server, "tool": tool, "accepted": changed.fingerprint})
    else:
        click.echo(visible(f"{server} {tool} is accepted as {changed.fingerprint[:_SHOWN]}"))


@command.command("forget")
@click.argument("server")
@_place_options
@format_option
def forget(server: str, form: str, **place: Any) -> None:
    """Forget the tools of SERVER: what it lists next is accepted as at first sight."""
    with _opened(form, **place) as store:
        number = store.forget(server)
    if form == "json":
        print_json({"server": server, "forgotten": number})
    else:
        click.echo(visible(f"{number} tools of {server} are forgotten"))


@contextmanager
def _opened(form: str, *, state: Path | None, database: str | None) -> Iterator[McpToolStore]:
    if (state is None) == (database is None):
        fail("place_required", "say where the store is: --state or --database", form=form)
    try:
        store = Store(sqlite_url(state) if state is not None else str(database))
        try:
            yield store.mcp_tools
        finally:
            store.close()
    except (StoreError, SQLAlchemyError) as error:
        fail("store_unavailable", str(error), form=form)


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _me() -> str:
    return getpass.getuser()[:200]


def _now() -> int:
    return time.time_ns() // 1000
