"""Guessing is slowed, for each address by itself, in bounded memory."""

from __future__ import annotations

from policyc_server.auth.attempts import MOST, WINDOW, Attempts


def test_an_address_waits_after_too_many() -> None:
    attempts = Attempts()
    for number in range(MOST):
        assert attempts.wait("a", 100 + number) == 0
        attempts.failed("a", 100 + number)
    assert attempts.wait("a", 110) == 100 + WINDOW - 110
    assert attempts.wait("b", 110) == 0
    assert attempts.wait("a", 100 + WINDOW) == 0


def test_many_addresses_take_little_memory() -> None:
    attempts = Attempts()
    for number in range(20_000):
        attempts.failed(str(number), 0)
    assert len(attempts._failures) < 5_000
