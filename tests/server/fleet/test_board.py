"""Shared memory that is read while it is written, across processes."""

from __future__ import annotations

import os
import signal
import time

import pytest
from policyc_server.fleet.board import LARGEST, Board


def test_each_place_holds_its_own_text() -> None:
    board = Board(2)
    assert board.read(0) is None
    for text in (b"one", b"", b"x" * LARGEST, b"two"):
        board.write(0, text)
        assert board.read(0) == text
    assert board.read(1) is None
    with pytest.raises(ValueError, match="do not fit"):
        board.write(0, b"x" * (LARGEST + 1))
    assert board.read(0) == b"two"


def test_a_killed_writer_leaves_a_whole_text_and_a_successor_goes_on() -> None:
    board = Board(1)
    for _ in range(5):
        child = os.fork()
        if child == 0:
            number = 0
            while True:
                number += 1
                board.write(0, b"%08d" % number * 5_000)
        seen = set()
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            text = board.read(0)
            if text is not None:
                assert len(text) == 40_000
                assert text == text[:8] * 5_000
                seen.add(text[:8])
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        text = board.read(0)
        assert text is not None
        assert text == text[:8] * 5_000
        assert len(seen) > 1
