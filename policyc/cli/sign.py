"""``policyc sign``: a signature with a version that only goes up."""

from __future__ import annotations

import time
from pathlib import Path

import click

from policyc.bundle.artifact import read_archive_file, sign_artifact
from policyc.bundle.errors import BundleError
from policyc.bundle.keys import load_signing_key
from policyc.cli.answers import PATH, fail_bundle, format_option, print_json
from policyc.cli.writing import write_file


@click.command("sign")
@click.argument("artifact", type=PATH)
@click.option("--key", "key_path", type=PATH, required=True, help="Private key (PEM) or HMAC secret.")
@click.option("--key-id", help="Name of the key in the signature; default the file's name without .pem.")
@click.option("--version", type=int, help="Default: seconds since 1970. Servers refuse a lower one.")
@click.option("-o", "--out", type=PATH, help="Where to write it; default in place.")
@format_option
def command(
    artifact: Path, key_path: Path, key_id: str | None, version: int | None, out: Path | None, form: str
) -> None:
    """Sign ARTIFACT, replacing any signature it has. To roll back, sign the old one with a higher version."""
    number = int(time.time()) if version is None else version
    try:
        key = load_signing_key(key_path, key_id=key_id)
        signed = sign_artifact(read_archive_file(artifact), key, version=number)
    except BundleError as error:
        fail_bundle(error, form=form)
    path = out or artifact
    write_file(path, signed, form)
    if form == "json":
        print_json({"artifact": str(path), "key_id": key.id, "algorithm": key.algorithm, "version": number})
    else:
        click.echo(f"{path}: signed by {key.id} ({key.algorithm}), version {number}")
