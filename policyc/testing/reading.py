"""A test file to its cases; everything that is wrong with it is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from policyc.engine.calls import CallError
from policyc.engine.model import Call
from policyc.source.diagnostics import Diagnostic, JsonPath, Place
from policyc.source.findings import Findings
from policyc.source.nodes import Document, MappingNode, plain
from policyc.source.read import read_document
from policyc.source.schema import shape
from policyc.source.suggest import did_you_mean
from policyc.source.wording import shown
from policyc.testing.calls import composed, payload_call, plain_call
from policyc.testing.case import Ask, Case, Expected, Settle, Step, Wait
from policyc.testing.times import NEW_YEAR, read_moment, read_span

#: A call and the document it was read from.
_Read = tuple[Call, Mapping[str, Any]]

_KINDS = ("sequence", "table", "payload", "call")
_STEPS = ("call", "payload", "after", "approve", "deny")


def read_test_file(path: str, data: bytes) -> tuple[tuple[Case, ...], tuple[Diagnostic, ...]]:
    """The cases in ``data`` and what is wrong with it; a test that has something wrong with it is no case."""
    document, findings = read_document(path, data)
    if document is None:
        return (), findings.diagnostics
    root = document.root
    shape("test", "file").report(_without_tests(root), document, (), findings)
    if not isinstance(root, dict) or not isinstance(root.get("tests"), list):
        return (), findings.diagnostics
    return tuple(_File(root, document, findings).cases()), findings.diagnostics


def _without_tests(root: Any) -> Any:
    """The mapping with no tests: they are checked one by one."""
    if isinstance(root, MappingNode) and isinstance(root.get("tests"), list) and root["tests"]:
        return {**root, "tests": [{"name": "x"}]}
    return root


class _File:
    """One file whose tests are a list."""

    def __init__(self, root: dict[str, Any], document: Document, findings: Findings) -> None:
        self._root = root
        self._document = document
        self._findings = findings
        self._defaults = self._calls("defaults")
        self._fixtures = self._calls("fixtures")
        for name, fixture in self._fixtures.items():
            self._check_plain(fixture, ("fixtures", name))
        self._check_plain(self._defaults, ("defaults",))
        self._now = self._moment()

    def cases(self) -> Iterator[Case]:
        lines: dict[str, int] = {}
        for number, test in enumerate(self._root["tests"]):
            at: JsonPath = ("tests", number)
            if not shape("test", "test").report(test, self._document, at, self._findings):
                self._check_name(test["name"], (*at, "name"), lines)
                yield from self._test(test, at)
            if self._findings.full:
                break

    def _test(self, test: dict[str, Any], at: JsonPath) -> Iterator[Case]:
        kinds = [kind for kind in _KINDS if kind in test]
        if not kinds or kinds not in (["table", "call"], kinds[:1]):
            said = " and ".join(f"`{kind}`" for kind in kinds) or "nothing"
            message = f"a test has one of `call`, `payload`, `table` and `sequence`, and this one has {said}"
            hint = (
                "a table may have a `call`, which its rows share" if kinds else "say which `call` is decided"
            )
            self._add("bad_test", at, message, hint)
            return
        reader = {"sequence": self._sequence, "table": self._table}.get(kinds[0], self._single)
        yield from reader(test, at)

    def _single(self, test: dict[str, Any], at: JsonPath) -> Iterator[Case]:
        ask = self._ask(test, at)
        if ask is not None:
            yield self._case(test, at, None, (ask,))

    def _table(self, test: dict[str, Any], at: JsonPath) -> Iterator[Case]:
        base = test.get("call", {})
        for number, row in enumerate(test["table"]):
            where = (*at, "table", number)
            expected = self._expected({"expect": test.get("expect"), **row}, where)
            given = {key: value for key, value in row.items() if key != "expect"}
            # A row's fixture takes the place of the table's, and comes before the keys of both.
            call = self._call({**base, **given}, where)
            if call is not None and expected is not None:
                yield self._case(test, where, number + 1, (Ask(*call, expected, self._place(where)[0]),))

    def _sequence(self, test: dict[str, Any], at: JsonPath) -> Iterator[Case]:
        if "expect" in test:
            hint = "give each call of the sequence its own"
            self._add(
                "bad_test", (*at, "expect"), "`expect` beside a `sequence` says nothing", hint, key=True
            )
        steps = [self._step(step, (*at, "sequence", n)) for n, step in enumerate(test["sequence"])]
        whole = tuple(step for step in steps if step is not None)
        if len(whole) == len(steps):
            yield self._case(test, at, None, whole)

    def _step(self, step: dict[str, Any], at: JsonPath) -> Step | None:
        kinds = [kind for kind in _STEPS if kind in step]
        if len(kinds) != 1:
            said = " and ".join(f"`{kind}`" for kind in kinds) or "nothing"
            message = (
                f"a step is one of `call`, `payload`, `after`, `approve` and `deny`, and this one has {said}"
            )
            self._add("bad_test", at, message, "write a step for each")
            return None
        if kinds[0] in ("call", "payload"):
            return self._ask(step, at)
        if "expect" in step:
            hint = "only a call is decided"
            self._add("bad_test", (*at, "expect"), f"nothing is expected of `{kinds[0]}`", hint, key=True)
            return None
        return (
            self._wait(step, at) if kinds[0] == "after" else Settle(kinds[0] == "approve", self._place(at)[0])
        )

    def _wait(self, step: dict[str, Any], at: JsonPath) -> Wait | None:
        span = read_span(step["after"])
        if span is None:
            message = f"{shown(step['after'])} is no span of time"
            self._add("bad_time", (*at, "after"), message, "write a whole number and ms, s, m, h or d: `61s`")
        return None if span is None else Wait(span)

    def _ask(self, step: dict[str, Any], at: JsonPath) -> Ask | None:
        expected = self._expected(step, at)
        kind = "payload" if "payload" in step else "call"
        reader = self._payload if kind == "payload" else self._call
        call = reader(step[kind], (*at, kind))
        return None if call is None or expected is None else Ask(*call, expected, self._place(at)[0])

    def _call(self, given: dict[str, Any], at: JsonPath) -> _Read | None:
        name = given.get("fixture")
        if name is not None and name not in self._fixtures:
            hint = did_you_mean(name, self._fixtures) or "name it under `fixtures`"
            self._add("unknown_fixture", (*at, "fixture"), f"there is no fixture {shown(name)}", hint)
            return None
        layers = (self._defaults, given) if name is None else (self._defaults, self._fixtures[name], given)
        document = composed(*layers)
        if "tool" not in document:
            self._add(
                "missing_key", at, "`tool` is missing", "name the tool here, in the fixture or in `defaults`"
            )
            return None
        try:
            return plain_call(document), document
        except CallError as error:
            self._refuse(error, at)
            return None

    def _payload(self, payload: dict[str, Any], at: JsonPath) -> _Read | None:
        try:
            document = plain(payload)
            return payload_call(document, self._defaults), document
        except CallError as error:
            self._refuse(error, at)
            return None

    def _refuse(self, error: CallError, at: JsonPath) -> None:
        self._add("bad_call", at, f"this is no call: {error}", None)

    def _expected(self, step: Mapping[str, Any], at: JsonPath) -> Expected | None:
        expected = step.get("expect")
        if expected is None or expected == {}:
            hint = "write the verdict, such as `expect: deny`, or a mapping with `verdict`, `rule` and more"
            self._add(
                "missing_key",
                at,
                "`expect` is missing: a call that nothing is expected of tests nothing",
                hint,
            )
            return None
        return {"verdict": expected} if isinstance(expected, str) else plain(expected)

    def _check_name(self, name: str, at: JsonPath, lines: dict[str, int]) -> None:
        line = self._place(at)[0]
        first = lines.setdefault(name, line)
        if not name.isprintable():
            self._add(
                "unprintable", at, "`name` has a character that cannot be shown", "write one line of text"
            )
        if first != line:
            message = f"the test {shown(name)} is already on line {first}"
            self._add("duplicate_test", at, message, "give each test its own name")

    def _check_plain(self, call: Any, at: JsonPath) -> None:
        if isinstance(call, dict) and "fixture" in call:
            message = "`fixture` is for tests: a fixture does not start from another"
            self._add("bad_test", (*at, "fixture"), message, "write the keys out", key=True)

    def _calls(self, key: str) -> dict[str, Any]:
        """``defaults`` or ``fixtures``, without what is not even a mapping; that was reported."""
        found = self._root.get(key)
        if not isinstance(found, dict):
            return {}
        if key == "defaults":
            return found if shape("test", "call").accepts(found) else {}
        return {name: call for name, call in found.items() if shape("test", "call").accepts(call)}

    def _moment(self) -> int:
        given = self._root.get("now")
        found = read_moment(given) if isinstance(given, str) else NEW_YEAR
        if found is None:
            hint = "write it with an offset, as in 2026-01-01T00:00:00Z"
            self._add("bad_time", ("now",), f"{shown(given)} is no time", hint)
        return NEW_YEAR if found is None else found

    def _case(self, test: dict[str, Any], at: JsonPath, row: int | None, steps: tuple[Step, ...]) -> Case:
        policy = test.get("policy", self._root.get("policy"))
        return Case(self._findings.path, self._place(at)[0], test["name"], row, policy, self._now, steps)

    def _place(self, at: JsonPath) -> Place:
        return self._document.place_of(at)

    def _add(self, code: str, at: JsonPath, message: str, hint: str | None, *, key: bool = False) -> None:
        self._findings.add(code, self._document.place_of(at, key=key), at, message, hint)
