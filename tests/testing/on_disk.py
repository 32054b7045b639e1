"""A bundle with tests, run from its files."""

from __future__ import annotations

from pathlib import Path

from policyc.loading import Loaded, load_target
from policyc.testing.run import Result, Runner
from policyc.testing.suite import Suite, read_suite

POLICY = """\
default_verdict: deny
rules:
  - priority: 5
    label: cap
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount_cents, op: gt, value: 100000}
    verdict: deny
    reason: Too much.
    reason_code: too_much
  - {priority: 10, label: pay, tool_name_glob: "payment.*", verdict: allow}
  - {priority: 20, label: hold, tool_name_glob: "deploy.*", verdict: pending_approval, approval: {ttl: 60}}
  - {priority: 30, label: mail, tool_name_glob: "mail.*", verdict: sanitize, sanitize: {presets: [email]}}
"""


def write(folder: Path, tests: str | bytes, policy: str = POLICY, **more: str) -> Path:
    """A bundle ``b`` below ``folder`` with ``tests/calls.yaml``; ``more`` are other policies by name."""
    target = folder / "b"
    for below in ("policies", "tests"):
        (target / below).mkdir(parents=True, exist_ok=True)
    (target / "bundle.yaml").write_text("bundle: b\ndefault_policy: p\n")
    for name, text in {"p": policy, **more}.items():
        (target / "policies" / f"{name}.yaml").write_text(text)
    content = tests if isinstance(tests, bytes) else tests.encode()
    (target / "tests" / "calls.yaml").write_bytes(content)
    return target


def read(target: Path) -> tuple[Suite, Loaded]:
    suite = read_suite(target)
    assert suite.diagnostics == ()
    return suite, load_target(target)


def results(folder: Path, tests: str, policy: str = POLICY, **more: str) -> list[Result]:
    return Runner(*read(write(folder, tests, policy, **more))).results()


def outcomes(folder: Path, tests: str, policy: str = POLICY, **more: str) -> list[bool]:
    return [result.passed for result in results(folder, tests, policy, **more)]
