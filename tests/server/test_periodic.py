"""Done at once and again, and not after it was closed."""

from __future__ import annotations

import threading

from policyc_server.periodic import Periodic

from server.process import eventually


def test_it_goes_on_until_it_is_closed() -> None:
    done: list[int] = []
    periodic = Periodic("counting", 0.01, lambda: done.append(threading.get_ident()))
    eventually(lambda: len(done) >= 3)
    periodic.close()
    assert threading.get_ident() not in done
    count = len(done)
    assert threading.Event().wait(0.1) is False
    assert len(done) == count


def test_it_ends_without_waiting_for_its_turn() -> None:
    done: list[bool] = []
    periodic = Periodic("rare", 3600, lambda: done.append(True))
    eventually(lambda: done)
    periodic.close()
    assert "rare" not in [thread.name for thread in threading.enumerate()]
