"""Bodies: read in bounds, and to the same value as everywhere else."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.bodies import read_body, read_json
from policyc_server.errors import ApiError, ClientGone

from policyc.engine.documents import MAX_DEPTH, Malformed, parse

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def outcome(read: Any, body: bytes) -> object:
    try:
        return repr(read(body))
    except Malformed as error:
        return error.code
    except ApiError as error:
        return error.code


HOSTILE = [
    b"",
    b"  ",
    b"{",
    b"{}x",
    b"NaN",
    b"[Infinity]",
    b"1e400",
    b"9" * 4300,
    b"9" * 4301,
    b"-" + b"9" * 4300,
    b"123456789012345678901234567890",
    b"18446744073709551616",
    b"[1.0,-0,-0.0,1e2,0.1e1]",
    b'{"a":1,"a":2}',
    b'{"a":{"b":1,"b":2}}',
    b'{"a":1,"\\u0061":2}',
    b'{"a":"x:y","a":"x"}',
    b'{"a":"\\u003a","a":1}',
    b'{"a":":","b":"\\u003a"}',
    b'{"a":[{"k":"::","k":"\\u003A"}]}',
    b'{"a:b":1}',
    b'{"url":"https://example.com:8443/x"}',
    b'"\\ud800"',
    b'{"\\ud800":1,"\\ud801":2}',
    b'"\\ud83d\\ude00"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b'\xef\xbb\xbf{"a":1}',
    b'"a\x00b"',
    b"\x0c{}",
    b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH,
    b"[" * (MAX_DEPTH + 1) + b"1" + b"]" * (MAX_DEPTH + 1),
    b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2),
    b'{"a":' * 200 + b"1" + b"}" * 200,
    b"[" * 100_000,
]


@pytest.mark.parametrize("body", HOSTILE, ids=lambda body: repr(body[:30]))
def test_what_the_strict_parser_says_counts(body: bytes) -> None:
    assert outcome(read_json, body) == outcome(parse, body)


@given(_VALUES, st.booleans())
def test_every_document_reads_as_the_strict_parser_reads_it(value: object, ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert outcome(read_json, body) == outcome(parse, body)


@given(st.lists(st.sampled_from(['"a"', '"b"', ":", ",", "{", "}", "[", "]", "1", '":"', '"\\u003a"', " "])))
def test_every_arrangement_of_tokens_reads_as_the_strict_parser_reads_it(tokens: list[str]) -> None:
    body = "".join(tokens).encode()
    assert outcome(read_json, body) == outcome(parse, body)


def collect(messages: list[dict[str, Any]], *, limit: int = 10, length: bytes | None = None) -> bytes:
    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.sleep(60)
        return messages.pop(0)

    headers = [] if length is None else [(b"content-length", length)]
    return asyncio.run(read_body({"headers": headers}, receive, limit=limit, deadline=0.05))


def chunk(body: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_chunks_are_joined() -> None:
    assert collect([chunk(b"ab", True), chunk(b"", True), chunk(b"c")]) == b"abc"


def test_a_body_of_exactly_the_limit_is_read() -> None:
    assert collect([chunk(b"0123456789")], length=b"10") == b"0123456789"


@pytest.mark.parametrize(
    ("messages", "length"),
    [
        ([], b"11"),
        ([chunk(b"01234567890")], None),
        ([chunk(b"012345", True), chunk(b"012345", True)], None),
        ([chunk(b"01234567890")], b"3"),
    ],
    ids=["announced", "at once", "while streaming", "against its announcement"],
)
def test_more_than_the_limit_is_refused(messages: list[dict[str, Any]], length: bytes | None) -> None:
    with pytest.raises(ApiError) as caught:
        collect(messages, length=length)
    assert (caught.value.status, caught.value.code) == (413, "body_too_large")


@pytest.mark.parametrize("messages", [[], [chunk(b"x", True)]], ids=["nothing", "half"])
def test_a_body_that_does_not_come_is_refused(messages: list[dict[str, Any]]) -> None:
    with pytest.raises(ApiError) as caught:
        collect(messages)
    assert (caught.value.status, caught.value.code) == (408, "timeout")


def test_a_client_that_left_gets_no_answer() -> None:
    with pytest.raises(ClientGone):
        collect([chunk(b"x", True), {"type": "http.disconnect"}])
