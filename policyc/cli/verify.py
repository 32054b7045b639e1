"""``policyc verify``: whether a trusted key signed exactly this content."""

from __future__ import annotations

from pathlib import Path

import click

from policyc.bundle.artifact import read_artifact
from policyc.bundle.errors import BundleError
from policyc.cli.answers import (
    PATH,
    REFUSED,
    artifact_bytes,
    fail_bundle,
    format_option,
    print_json,
    trusted_keys,
    verify_key_option,
)


@click.command("verify")
@click.argument("artifact", type=PATH)
@verify_key_option
@format_option
def command(artifact: Path, verify_keys: tuple[str, ...], form: str) -> None:
    """Verify the signature and every file of ARTIFACT. Exit 1 when it does not hold."""
    if not verify_keys:
        raise click.UsageError("verify needs at least one --verify-key")
    trusted = trusted_keys(verify_keys, form)
    content = artifact_bytes(artifact, form)
    try:
        read = read_artifact(content, trusted=trusted)
    except BundleError as error:
        fail_bundle(error, form=form, exit_code=REFUSED)
    signature = read.signature
    assert signature is not None  # read_artifact refuses an unsigned one when keys are trusted
    if form == "json":
        print_json(
            {
                "artifact": str(artifact),
                "verified": True,
                "bundle": read.bundle,
                "revision": read.revision,
                "key_id": signature.key_id,
                "algorithm": signature.algorithm,
                "version": signature.version,
            }
        )
    else:
        click.echo(
            f"{artifact}: signed by {signature.key_id} ({signature.algorithm}), version {signature.version}, "
            f"revision {read.revision}"
        )
