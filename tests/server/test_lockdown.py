"""The switch that denies every call, where its store fails or is slow."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from policyc_server.lockdown import Lockdown
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store
from policyc_server.store.switches import LOCKDOWN, Switch, SwitchStore
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from server.process import eventually

ON = Switch(True, 1, "root", None)
OFF = Switch(False, 2, "root", None)


class Stubborn(SwitchStore):
    """A store that takes nothing while it is ``full``, and whose answers wait for ``released``."""

    def __init__(self, store: Store) -> None:
        super().__init__(store._engine)
        self.full = False
        self.asked = threading.Event()
        self.released = threading.Event()
        self.released.set()

    def get(self, name: str) -> Switch | None:
        found = super().get(name)
        self.asked.set()
        assert self.released.wait(10)
        return found

    def turn(self, name: str, switch: Switch) -> None:
        if self.full:
            raise OperationalError("turn", None, Exception("disk is full"))
        super().turn(name, switch)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Stubborn]:
    opened = Store(sqlite_url(tmp_path))
    yield Stubborn(opened)
    opened.close()


@pytest.fixture
def lockdown(store: Stubborn) -> Iterator[Lockdown]:
    made = Lockdown(store)
    yield made
    store.released.set()
    made.close()


def test_it_holds_at_once_where_it_cannot_be_kept_and_is_kept_later(
    store: Stubborn, lockdown: Lockdown
) -> None:
    store.full = True
    with pytest.raises(SQLAlchemyError):
        lockdown._turn(ON)
    store.asked.clear()
    assert lockdown.is_on
    store.full = False
    eventually(lambda: SwitchStore.get(store, LOCKDOWN) == ON)
    assert lockdown.is_on


def test_it_is_not_lifted_where_that_cannot_be_kept(store: Stubborn, lockdown: Lockdown) -> None:
    lockdown._turn(ON)
    store.full = True
    with pytest.raises(SQLAlchemyError):
        lockdown._turn(OFF)
    assert lockdown.is_on


def test_a_look_from_before_it_was_turned_does_not_lift_it(store: Stubborn, lockdown: Lockdown) -> None:
    lockdown.close()  # its own looks
    store.released.clear()
    store.asked.clear()
    look = threading.Thread(target=lockdown._look)
    look.start()
    assert store.asked.wait(10)  # it has read "off", and has not come back
    lockdown._turn(ON)
    store.released.set()
    look.join()
    assert lockdown.is_on
