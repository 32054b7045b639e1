"""Files that are made to hurt: each is one diagnostic, soon."""

from __future__ import annotations

import time

import pytest

from policyc.source.builder import MAX_DEPTH
from policyc.source.read import read_document

MIB = 1 << 20
LAUGHS = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 30)
)
#: Each level is shallow, and an alias to the one above makes it deep.
TOWER = b"a0: &a0 [x]\n" + b"".join(b"a%d: &a%d [[[[*a%d]]]]\n" % (n, n, n - 1) for n in range(1, 1000))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (LAUGHS, "alias_bomb"),
        (TOWER, "too_deep"),
        (b"[" * 100_000, "too_deep"),
        (b"[" * (8 * MIB), "too_deep"),
        (b"- " * 100_000, "too_deep"),
        (b"? " * 100_000, "too_deep"),
        (b"".join(b" " * n + b"a:\n" for n in range(2000)), "too_deep"),
        (b'{"a":' * 100_000, "too_deep"),
        (b"&a [*a]", "recursive_alias"),
        (b"&a {b: [*a]}", "recursive_alias"),
        (b"&a {*a : 1}", "recursive_alias"),
        (b"*a", "unknown_alias"),
        (b"\0" * MIB, "control_character"),
        ("- a".encode("utf-16"), "not_utf8"),
        ("- a".encode("utf-16-le"), "control_character"),
        ("- a".encode("utf-32"), "not_utf8"),
        (b"\xed\xa0\x80", "not_utf8"),
        (b"a: 1e999", "not_finite"),
        (b"[1e999]", "not_finite"),
        (b"a: " + b"9" * 4301, "number_too_long"),
        (b"[-" + b"9" * 4301 + b"]", "number_too_long"),
        (b"a: 0x" + b"f" * MIB, "number_too_long"),
        (b'["\\ud800"]', "lone_surrogate"),
        (b'"\\ud800"', "syntax_error"),
        (b"{" + b"a: 1, " * 2000 + b"}", "too_many_problems"),
        (b"a:\n\t- b\n", "syntax_error"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_it_is_refused_at_once(data: bytes, code: str) -> None:
    start = time.perf_counter()
    _, findings = read_document("policies/a.yaml", data)
    assert code in [found.code for found in findings.diagnostics]
    assert time.perf_counter() - start < 5


@pytest.mark.slow
def test_the_number_of_values_is_bounded() -> None:
    for data in (b"[" + b"1," * 1_000_001 + b"1]", b"- 1\n" * 1_000_001):
        _, findings = read_document("policies/a.yaml", data)
        assert [found.code for found in findings.diagnostics] == ["too_many_values"]


def test_nesting_up_to_the_bound_is_read() -> None:
    for text in ("[" * MAX_DEPTH + "]" * MAX_DEPTH, "{a: " * MAX_DEPTH + "1" + "}" * MAX_DEPTH):
        document, findings = read_document("policies/a.yaml", text.encode())
        assert document is not None
        assert findings.diagnostics == ()
