"""Bundles, artifacts and keys for the server's tests, made by the real compiler and signer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from policyc.building import compile_path
from policyc.bundle.artifact import sign_artifact
from policyc.bundle.keys import (
    SigningKey,
    VerificationKey,
    generate_key,
    load_signing_key,
    load_verification_key,
    write_key_pair,
)

POLICY = """\
policy: agent
default_verdict: audit
rules:
  - priority: 5
    label: cap payment amount
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {{path: $.amount_cents, op: gt, value: {cap}}}
    verdict: deny
    reason: Payments above the cap need a person.
    reason_code: payment_cap
    risk_factors: [money, irreversible]
  - priority: 6
    label: pay
    tool_name_glob: payment.*
    verdict: allow
  - priority: 10
    label: hold deploys
    tool_name_glob: deploy.*
    verdict: pending_approval
  - priority: 20
    label: no destructive shell
    stage: hook
    tool_name_glob: shell.*
    args_match:
      clauses:
        - {{path: $.command, op: contains, value: rm -rf}}
    verdict: deny
    reason: Destructive command.
"""

#: Denied while the cap is below it.
PAYMENT = {"tool": "payment.transfer", "args": {"amount_cents": 5000}}


class Keys(NamedTuple):
    signing: SigningKey
    verification: VerificationKey
    public_file: Path


def make_keys(folder: Path, name: str) -> Keys:
    private, public = write_key_pair(generate_key("ES256"), folder, name)
    assert public is not None
    return Keys(load_signing_key(private), load_verification_key(str(public)), public)


def write_bundle(folder: Path, cap: int = 100000, name: str = "payments") -> Path:
    """A bundle folder whose one policy denies payments above ``cap``."""
    (folder / "policies").mkdir(parents=True, exist_ok=True)
    (folder / "bundle.yaml").write_text(f"bundle: {name}\n")
    (folder / "policies" / "agent.yaml").write_text(POLICY.format(cap=cap))
    return folder


def make_artifact(
    folder: Path,
    cap: int = 100000,
    *,
    key: SigningKey | None = None,
    version: int = 1,
    name: str = "payments",
) -> bytes:
    """The artifact of such a bundle; ``folder`` is where its sources go."""
    content = compile_path(write_bundle(folder, cap, name)).artifact()
    return content if key is None else sign_artifact(content, key, version=version)


def put(path: Path, content: bytes) -> None:
    """Replaces a file as publishers and most editors do: written aside, then renamed over it."""
    aside = path.with_name(path.name + ".new")
    aside.write_bytes(content)
    os.replace(aside, path)
