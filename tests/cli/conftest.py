"""The command line in this process, and a bundle to point it at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from policyc.cli import main

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
  - {priority: 10, label: pay, tool_name_glob: "payment.*", verdict: allow}
  - {priority: 20, label: hold, tool_name_glob: "deploy.*", verdict: pending_approval}
"""


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def policyc(tmp_path, monkeypatch):
    """Runs a command in an empty folder: ``policyc("check", "b")``."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, stdin: str | bytes | None = None) -> Answer:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def bundle(tmp_path) -> Path:
    """A bundle folder ``pay`` with one policy."""
    folder = tmp_path / "pay"
    (folder / "policies").mkdir(parents=True)
    (folder / "bundle.yaml").write_text("bundle: pay\n")
    (folder / "policies" / "pay.yaml").write_text(POLICY)
    return Path("pay")


@pytest.fixture
def signed(policyc, bundle) -> Path:
    """``pay.tar.gz``, signed by ``release`` with version 7."""
    assert policyc("build", bundle).code == 0
    assert policyc("keygen", "release").code == 0
    assert policyc("sign", "pay.tar.gz", "--key", "release.pem", "--version", "7").code == 0
    return Path("pay.tar.gz")
