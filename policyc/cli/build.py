"""``policyc build``: sources to one artifact."""

from __future__ import annotations

from pathlib import Path

import click

from policyc.bundle.errors import BundleError
from policyc.cli.answers import PATH, compiled, fail_bundle, format_option, print_json
from policyc.cli.writing import write_file


@click.command("build")
@click.argument("target", type=PATH)
@click.option("-o", "--out", type=PATH, help="Where to write it; default <bundle>.tar.gz in this folder.")
@click.option("--revision", help="Free text instead of the content's SHA-256.")
@format_option
def command(target: Path, out: Path | None, revision: str | None, form: str) -> None:
    """Compile TARGET and write <bundle>.tar.gz. The same sources give the same bytes."""
    built = compiled(target, form)
    try:
        artifact = built.artifact(revision)
        named = revision or built.revision()
    except BundleError as error:
        fail_bundle(error, form=form)
    path = out or Path(f"{built.bundle}.tar.gz")
    path = path / f"{built.bundle}.tar.gz" if path.is_dir() else path
    write_file(path, artifact, form)
    if form == "json":
        print_json({"artifact": str(path), "bundle": built.bundle, "revision": named, "bytes": len(artifact)})
    else:
        click.echo(f"{path}: bundle {built.bundle}, revision {named}")
        click.echo("Not signed yet: policyc keygen, then policyc sign.", err=True)
