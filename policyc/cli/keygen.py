"""``policyc keygen``: a key to sign with and one to verify with."""

from __future__ import annotations

from pathlib import Path

import click

from policyc.bundle.errors import BundleError
from policyc.bundle.keys import ALGORITHMS, generate_key, write_key_pair
from policyc.cli.answers import PATH, fail_bundle, format_option, print_json


@click.command("keygen")
@click.argument("name")
@click.option("--alg", type=click.Choice(ALGORITHMS), default="ES256", show_default=True, help="Algorithm.")
@click.option("--dir", "folder", type=PATH, default=".", show_default=True, help="Folder to write to.")
@format_option
def command(name: str, alg: str, folder: Path, form: str) -> None:
    """Write NAME.pem (private, mode 0600) and NAME.pub.pem; for HS256 one NAME.secret. Never overwrites."""
    try:
        private, public = write_key_pair(generate_key(alg), folder, name)
    except BundleError as error:
        fail_bundle(error, form=form)
    if form == "json":
        print_json(
            {"private": str(private), "public": public and str(public), "algorithm": alg, "key_id": name}
        )
        return
    click.echo(f"{private}: keep it secret; it signs" + ("" if public else " and verifies"))
    if public:
        click.echo(f"{public}: give it to whoever verifies")
