"""Where the name under the cursor is written: a policy, a value of values.yaml, a rule."""

from __future__ import annotations

from dataclasses import dataclass

from policyc.compiler.policy_file import Mention, PolicyFile
from policyc.lsp.project import Reading
from policyc.source.diagnostics import JsonPath, Place


@dataclass(frozen=True, slots=True)
class Definition:
    """A place in a file, whose path is as diagnostics give it."""

    path: str
    place: Place


def definition(path: JsonPath, name: str, reading: Reading, file: str) -> Definition | None:
    """Where ``name``, the value at ``path`` of ``file``, is defined; None where it names nothing."""
    key = next((step for step in reversed(path) if isinstance(step, str)), None)
    if key == "from":
        return _value(name, reading)
    if key in ("default_policy", "policy"):
        return _start(reading.scope.policies.get(name))
    if key == "rule":
        return _rule(name, reading)
    if key in ("include", "extends"):
        source = next((policy for policy in reading.scope.files if policy.path == file), None)
        if source is not None:
            return _start(reading.library.find(Mention(name, (1, 1), path), source))
    return None


def _value(name: str, reading: Reading) -> Definition | None:
    values = reading.scope.values
    found = None if values is None else values.values.get(name)
    return None if values is None or found is None else Definition(values.path, found.place)


def _rule(label: str, reading: Reading) -> Definition | None:
    policies = () if reading.plan is None else reading.plan.policies.values()
    found = next((rule for policy in policies for rule in policy.rules if rule.label == label), None)
    return None if found is None else Definition(found.source.path, (found.source.line, 1))


def _start(policy: PolicyFile | None) -> Definition | None:
    return None if policy is None else Definition(policy.path, (policy.line, 1))
