"""Answers repeat what came in exactly."""

from __future__ import annotations

import json

import pytest
from policyc_server.answers import encode_echo
from policyc_server.bodies import read_json


@pytest.mark.parametrize(
    "text",
    [
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890",
        '{"n":123456789012345678901234567890,"s":"ü\\u2028"}',
        "1e22",
        "0.1",
        '"12345678901234567890"',
    ],
)
def test_numbers_come_back_as_they_were(text: str) -> None:
    body = text.encode()
    value = read_json(body)
    again = json.loads(encode_echo(value, body))
    assert (again, type(again)) == (value, type(value))
