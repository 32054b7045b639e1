"""Events cut out of bytes as browsers cut them, and put together again as they came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.gateway.sse import Event, EventReader, write_event

LINES = st.lists(st.sampled_from(["", "data: a", "data:b", "event: e", ": c", "id: 1", "data"]), max_size=12)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def read(pieces: list[bytes]) -> list[Event]:
    reader = EventReader()
    return [*(event for piece in pieces for event in reader.feed(piece)), *reader.close()]


@given(LINES, st.lists(ENDS, min_size=12, max_size=12), st.integers(1, 7))
def test_pieces_of_any_size_give_the_same_events_and_all_bytes(
    lines: list[str], ends: list[str], size: int
) -> None:
    content = "".join(line + end for line, end in zip(lines, ends, strict=False)).encode()
    whole = read([content])
    assert read([content[at : at + size] for at in range(0, len(content), size)]) == whole
    assert b"".join(event.raw for event in whole) == content


@pytest.mark.parametrize(
    ("content", "name", "data"),
    [
        (b"data: x\n\n", None, "x"),
        (b"event: e\r\ndata:x\r\ndata: y\r\n\r\n", "e", "x\ny"),
        (b"\xef\xbb\xbfdata:  x\r\r", None, " x"),
        (b": ping\n\n", None, None),
        (b"event: e\n\n", "e", None),
        (b"data\n\n", None, ""),
    ],
)
def test_fields_are_read_as_the_standard_reads_them(
    content: bytes, name: str | None, data: str | None
) -> None:
    (event,) = read([content])
    assert (event.name, event.data) == (name, data)


def test_what_is_not_complete_waits() -> None:
    reader = EventReader()
    assert reader.feed(b"data: x\n") == []
    assert [event.data for event in reader.feed(b"\ndata: y")] == ["x"]
    assert reader.waiting == len(b"data: y")


def test_a_written_event_is_read_as_it_was_meant() -> None:
    (event,) = read([write_event('{"a": 1}', "e")])
    assert (event.name, event.data) == ("e", '{"a": 1}')
