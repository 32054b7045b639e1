"""Problems of test files."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error

_POLICY = (
    "-- bundle.yaml --\nbundle: payments\n-- policies/payments.yaml --\n- {priority: 9999, verdict: deny}\n"
)


def _test(text: str) -> str:
    return f"{_POLICY}-- tests/calls.yaml --\n{text}"


_GOOD = _test("tests:\n  - {name: no shell, call: {tool: shell.exec}, expect: deny}\n")

ENTRIES: tuple[Entry, ...] = (
    error(
        "bad_test",
        "A test that cannot be run",
        "A test has one of `call`, `payload`, `table` and `sequence`; a step of a sequence one of `call`, "
        "`payload`, `after`, `approve` and `deny`. Calls and payloads have an `expect`, nothing else has.",
        _test("tests:\n  - {name: no shell, call: {tool: a}, sequence: [{after: 1s}], expect: deny}\n"),
        _GOOD,
    ),
    error(
        "bad_call",
        "What is no call",
        "A `call` is what `POST /v1/evaluate` takes; a `payload` is what one of the known agents gives its "
        "hook.",
        _test("tests:\n  - {name: no shell, payload: {command: ls}, expect: deny}\n"),
        _GOOD,
    ),
    error(
        "bad_time",
        "A time that cannot be read",
        "`now` is a time with its offset, as in 2026-01-01T00:00:00Z; `after` is a whole number and `ms`, "
        "`s`, `m`, `h` or `d`.",
        _test("now: yesterday\ntests:\n  - {name: no shell, call: {tool: shell.exec}, expect: deny}\n"),
        _GOOD,
    ),
    error(
        "unknown_fixture",
        "A fixture that is not there",
        "`fixture` names a call under `fixtures` of the same file.",
        _test("tests:\n  - {name: no shell, call: {fixture: shell}, expect: deny}\n"),
        _test(
            "fixtures:\n  shell: {tool: shell.exec}\n"
            "tests:\n  - {name: no shell, call: {fixture: shell}, expect: deny}\n"
        ),
    ),
    error(
        "duplicate_test",
        "Two tests with the same name",
        "Reports name a test by its file and name.",
        _test(
            "tests:\n  - {name: no shell, call: {tool: shell.exec}, expect: deny}\n"
            "  - {name: no shell, call: {tool: bash}, expect: deny}\n"
        ),
        _GOOD,
    ),
)
