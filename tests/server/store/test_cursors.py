"""One process at a time has a cursor, and it only goes where it was moved."""

from __future__ import annotations

import pytest
from policyc_server.store import cursors as module
from policyc_server.store.store import Store


def test_a_cursor_is_held_moved_and_released(store: Store) -> None:
    cursors = store.cursors
    assert cursors.seq("x") is None
    assert cursors.take("x", "one") == 0
    assert cursors.take("x", "other") is None
    assert cursors.advance("x", "one", 7)
    assert not cursors.advance("x", "other", 9)
    assert (cursors.take("x", "one"), cursors.seq("x")) == (7, 7)
    cursors.release("x", "other")
    assert cursors.take("x", "other") is None
    cursors.release("x", "one")
    assert cursors.take("x", "other") == 7
    assert not cursors.advance("x", "one", 8)


@pytest.mark.parametrize("jump", [module.HELD_FOR + 1_000_000, -100 * module.HELD_FOR])
def test_a_holder_that_was_killed_loses_it_also_when_the_clock_is_set_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, jump: int
) -> None:
    real = module.now_on
    assert store.cursors.take("x", "killed") == 0
    monkeypatch.setattr(module, "now_on", lambda connection: real(connection) + jump)
    assert store.cursors.take("x", "other") == 0
    assert not store.cursors.advance("x", "killed", 3)
