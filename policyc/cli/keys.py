"""``policyc keys``: who may ask a server, and who may decide."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from policyc_server.auth.keys_file import KeysFileError, key_problem, read_keys, write_keys
from policyc_server.store.database import StoreError, sqlite_url
from policyc_server.store.keys import ROLES, Key, KeyExists, hashed, new_secret
from policyc_server.store.store import Store
from rich.console import Console
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from policyc.cli.answers import PATH, fail, format_option, print_json


@click.group("keys")
def command() -> None:
    """API keys of a server: in its store (--state or --database), or in a file (--file)."""


def _place_options(function: Callable[..., None]) -> Callable[..., None]:
    function = click.option("--file", type=PATH, help="A keys file, for `serve --keys-file`.")(function)
    database = click.option("--database", envvar="POLICYC_DATABASE", metavar="URL", help="The store.")
    function = database(function)
    return click.option("--state", type=PATH, help="The folder of `serve --state`.")(function)


@command.command("create")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), required=True)
@click.option("--agent", help="Whose name its calls carry; a reviewer never decides holds of that one.")
@click.option("--policy", help="The policy that governs these calls, before the bundle's bindings.")
@_place_options
@format_option
def create(name: str, role: str, agent: str | None, policy: str | None, form: str, **place: Any) -> None:
    """Make the key NAME and print its secret, this once."""
    problem = key_problem(name, role, agent)
    if problem is not None:
        fail("key_invalid", problem, form=form)
    secret = new_secret()
    key = Key(name, role, agent, policy, time.time_ns() // 1000, None)
    with _faults(form), _opened(form, **place) as keys:
        keys.create(key, secret)
    if form == "json":
        print_json({"id": name, "role": role, "agent": agent, "policy": policy, "secret": secret})
    else:
        click.echo(secret)


@command.command("list")
@_place_options
@format_option
def list_keys(form: str, **place: Any) -> None:
    """List every key, without secrets: they are not kept."""
    with _faults(form), _opened(form, **place) as keys:
        found = list(keys.by_hash().values())
    if form == "json":
        print_json({"keys": [_document(key) for key in found]})
        return
    table = Table("key", "role", "agent", "policy", "created", "revoked")
    for key in found:
        table.add_row(*(value or "" for value in _document(key).values()))
    Console().print(table)


@command.command("revoke")
@click.argument("name")
@_place_options
@format_option
def revoke(name: str, form: str, **place: Any) -> None:
    """Revoke the key NAME: servers refuse it within a second, and its console sessions end."""
    with _faults(form), _opened(form, **place) as keys:
        is_revoked = keys.revoke(name, time.time_ns() // 1000)
    if not is_revoked:
        fail("key_unknown", f"there is no key {name!r} that could be revoked", form=form)
    if form == "json":
        print_json({"revoked": name})
    else:
        click.echo(f"{name} is revoked")


class _File:
    """Keys in a file, with the methods that the store's have."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def create(self, key: Key, secret: str) -> None:
        keys = self.by_hash() if self._path.exists() else {}
        if any(other.id == key.id for other in keys.values()):
            raise KeyExists(f"there is a key {key.id!r} already")
        write_keys(self._path, [*keys.items(), (hashed(secret), key)])

    def by_hash(self) -> dict[str, Key]:
        return read_keys(self._path)

    def revoke(self, name: str, _now: int) -> bool:
        keys = self.by_hash()
        kept = [(digest, key) for digest, key in keys.items() if key.id != name]
        if len(kept) == len(keys):
            return False
        write_keys(self._path, kept)
        return True


@contextmanager
def _opened(form: str, *, state: Path | None, database: str | None, file: Path | None) -> Iterator[Any]:
    if sum(place is not None for place in (state, database, file)) != 1:
        fail("place_required", "say where keys are kept: one of --state, --database and --file", form=form)
    if file is not None:
        yield _File(file)
        return
    if state is not None:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = Store(sqlite_url(state) if state is not None else str(database))
    try:
        yield store.keys
    finally:
        store.close()


@contextmanager
def _faults(form: str) -> Iterator[None]:
    try:
        yield
    except (StoreError, SQLAlchemyError) as error:
        fail("store_unavailable", str(error), form=form)
    except KeysFileError as error:
        fail("keys_unreadable", str(error), form=form)
    except KeyExists as error:
        fail("key_exists", f"{error}: revoke it, or choose another name", form=form)
    except OSError as error:
        fail("keys_unwritable", f"cannot write {error.filename}: {error.strerror}", form=form)


def _document(key: Key) -> dict[str, str | None]:
    return {
        "id": key.id,
        "role": key.role,
        "agent": key.agent,
        "policy": key.policy,
        "created_at": _moment(key.created_at),
        "revoked_at": None if key.revoked_at is None else _moment(key.revoked_at),
    }


def _moment(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds // 1_000_000, UTC).isoformat()
