"""``policyc inspect``: what is in an artifact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from policyc.bundle.artifact import Artifact, read_artifact
from policyc.bundle.errors import BundleError
from policyc.cli.answers import (
    PATH,
    REFUSED,
    artifact_bytes,
    fail,
    fail_bundle,
    format_option,
    print_json,
    trusted_keys,
    verify_key_option,
)
from policyc.engine.plan import Plan, PlanError


@click.command("inspect")
@click.argument("artifact", type=PATH)
@verify_key_option
@format_option
def command(artifact: Path, verify_keys: tuple[str, ...], form: str) -> None:
    """Show bundle, revision, signature, policies and files of ARTIFACT."""
    trusted = trusted_keys(verify_keys, form)
    content = artifact_bytes(artifact, form)
    try:
        read = read_artifact(content, trusted=trusted)
        plan = Plan.load(read.data)
    except BundleError as error:
        fail_bundle(error, form=form, exit_code=REFUSED)
    except PlanError as error:
        fail("plan_refused", str(error), "Build it again with this version.", form=form, exit_code=REFUSED)
    if form == "json":
        print_json(_document(read, plan))
    else:
        _print(read, plan)


def _document(read: Artifact, plan: Plan) -> dict[str, Any]:
    signature = read.signature
    return {
        "bundle": read.bundle,
        "revision": read.revision,
        "digest": read.digest,
        "signature": signature
        and {
            "key_id": signature.key_id,
            "algorithm": signature.algorithm,
            "version": signature.version,
            "verified": signature.verified,
        },
        "default_policy": plan.default_policy,
        "bindings": [{"agents": list(agents), "policy": policy} for agents, policy in plan.bindings],
        "policies": {
            policy.name: {
                "default_verdict": policy.default_verdict,
                "shadow": policy.shadow,
                "rules": len(policy.rules),
                "source": str(policy.source),
            }
            for policy in plan.policies.values()
        },
        "files": {path: len(content) for path, content in sorted(read.files.items())},
    }


def _print(read: Artifact, plan: Plan) -> None:
    signature = read.signature
    if signature is None:
        signed = "no"
    else:
        verified = "verified" if signature.verified else "not verified: give --verify-key"
        signed = f"by {signature.key_id} ({signature.algorithm}), version {signature.version}, {verified}"
    click.echo(f"bundle    {read.bundle}\nrevision  {read.revision}\nsigned    {signed}")
    table = Table("policy", "default verdict", "shadow", "rules", "source", box=None)
    for policy in plan.policies.values():
        default = " (default)" if policy.name == plan.default_policy else ""
        table.add_row(
            policy.name + default,
            policy.default_verdict,
            "yes" if policy.shadow else "no",
            str(len(policy.rules)),
            str(policy.source),
        )
    Console(soft_wrap=True, highlight=False, markup=False).print(table)
    for agents, policy_name in plan.bindings:
        click.echo(f"agents {', '.join(agents)}: {policy_name}")
    for path, content in sorted(read.files.items()):
        click.echo(f"{len(content):>10,}  {path}")
