"""The rule key ``examples``: calls that a rule is, and is not, about; each is tried on the rule alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from policyc.compiler.policy_file import PolicyFile
from policyc.compiler.reporting import Reporting
from policyc.compiler.rules import LoweredRule, WrittenExample
from policyc.engine.calls import CallError, read_call
from policyc.engine.dialects import detect
from policyc.engine.explain import Trace
from policyc.engine.model import Call, Rule
from policyc.engine.plan import read_rule
from policyc.engine.walk import applies


@dataclass(frozen=True, slots=True)
class Example:
    """A call that a rule (by ``policy`` and ``label``) is about, or not where ``matches`` is false.

    ``call`` is a document as ``read_call`` takes it."""

    policy: str
    label: str
    matches: bool
    call: Mapping[str, Any]


def try_examples(
    files: Iterable[PolicyFile], policies: Mapping[str, Any], reporting: Reporting
) -> tuple[Example, ...]:
    """The examples in ``files``, whose ``policies`` were linked without errors. Reports those that fail."""
    return tuple(
        example
        for file in files
        if file.name is not None and any(rule.examples for rule in file.rules)
        for example in _File(file, policies[file.name]["rules"], reporting).examples()
    )


class _File:
    def __init__(self, file: PolicyFile, rules: list[dict[str, Any]], reporting: Reporting) -> None:
        self._file = file
        self._data = {rule["label"]: rule for rule in rules if rule["source"]["path"] == file.path}
        self._reporting = reporting

    def examples(self) -> Iterable[Example]:
        for lowered in self._file.rules:
            if lowered.examples:
                yield from self._of_rule(lowered)

    def _of_rule(self, lowered: LoweredRule) -> Iterable[Example]:
        data = self._data[lowered.data["label"]]
        rule = read_rule(data, "$")
        for written in lowered.examples:
            document = _document(written.given, data)
            try:
                call = read_call(document)
            except CallError as error:
                self._report("bad_example", written, f"this is no call: {error}", _hint(error, data))
                continue
            self._try(rule, call, written)
            yield Example(self._file.name or "", rule.label, written.matches, document)

    def _try(self, rule: Rule, call: Call, written: WrittenExample) -> None:
        trace = Trace()
        answer = applies(rule, call, trace)
        if answer is written.matches:
            return
        why = "" if answer else "".join(f": {line.strip()}" for line in trace.lines()[1:2])
        message = _SAID[answer].format(rule.label) + why
        self._report("failed_example", written, message, "change the rule, or the example")

    def _report(self, code: str, written: WrittenExample, message: str, hint: str | None) -> None:
        self._reporting.add(code, self._file.path, written.place, written.at, message, hint)


_SAID = {
    True: 'the rule "{}" is about this call',
    False: 'the rule "{}" is not about this call',
    None: 'it cannot be known whether the rule "{}" is about this call',
}


def _document(given: Any, rule: Mapping[str, Any]) -> dict[str, Any]:
    """The whole call: what the example leaves out, the rule says."""
    said: dict[str, Any] = {}
    if isinstance(given, str):
        given = {"tool": "shell.exec", "args": {"command": given}}
    elif _is_payload(given):
        return {**given}
    if rule["stages"]:
        said["stage"] = rule["stages"][0]
    tools = rule["tools"] or []
    if len(tools) == 1 and "*" not in tools[0] and tools[0]:
        said["tool"] = tools[0]
    return {**said, **given}


#: Keys of a call that hook payloads do not have.
_OF_CALL = frozenset({"tool", "args", "stage"})


def _is_payload(given: Mapping[str, Any]) -> bool:
    return "hook_event_name" in given or (_OF_CALL.isdisjoint(given) and detect(given, None) is not None)


def _hint(error: CallError, rule: Mapping[str, Any]) -> str | None:
    if error.path != "$.tool":
        return None
    tools = rule["tools"]
    about = "every tool" if not tools else ", ".join(tools)
    return f"name the `tool`: the rule is about {about}"
