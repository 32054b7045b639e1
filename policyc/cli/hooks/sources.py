"""``policyc hooks sources``: what an interaction with the managed agent takes as its environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import click

from policyc.cli.answers import (
    PATH,
    fail,
    format_option,
    loaded,
    print_json,
    unprotected_option,
    verify_key_option,
)
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import generate_hooks
from policyc.hooks.self_protection import require_self_protection
from policyc.hooks.sources import (
    MOUNTS,
    environment,
    inline_sources,
    mounted_source,
    own_files,
    together,
)


@click.command("sources")
@click.argument("target", type=PATH)
@click.option(
    "--kind",
    type=click.Choice(["inline", "repository", "gcs"]),
    default="inline",
    show_default=True,
    help="inline: the files themselves. repository, gcs: where you put what `hooks generate` wrote.",
)
@click.option("--url", help="Of the repository (https://...) or the bucket (gs://...).")
@click.option(
    "--mount",
    type=click.Choice(MOUNTS),
    default="/",
    show_default=True,
    help="Where it is mounted: `/` when it has the folder .agents, `/.agents` when it is that folder.",
)
@click.option("--files", type=PATH, help="A folder of files to give inline too, at their paths in it.")
@click.option(
    "--keep-variables", is_flag=True, help="Leave ${NAME} in the transforms; no secret is read or printed."
)
@unprotected_option
@verify_key_option
@format_option
def command(
    target: Path,
    kind: Literal["inline", "repository", "gcs"],
    url: str | None,
    mount: str,
    files: Path | None,
    keep_variables: bool,
    unprotected: bool,
    verify_keys: tuple[str, ...],
    form: str,
) -> None:
    """Print the environment of an interaction with the hooks of TARGET, a bundle folder or an artifact.

    SECRETS: where network.allowlist has transforms, their ${NAME} are filled in from the environment and
    printed, since the API takes them in this document. Pipe it to what calls the API, or --keep-variables.
    """
    if kind == "inline" and (url is not None or mount != MOUNTS[0]):
        raise click.UsageError("--url and --mount are for --kind repository and --kind gcs")
    try:
        data = loaded(target, verify_keys, form).plan.data
        if not unprotected:
            require_self_protection(data)
        own = {} if files is None else own_files(files)
        given = together(generate_hooks(data).files, own)
        if kind == "inline":
            sources = inline_sources(given)
        else:
            sources = [mounted_source(kind, url, mount), *inline_sources(own)]
        document = environment(sources, data, None if keep_variables else os.environ)
    except HooksError as error:
        fail(error.code, error.message, error.hint, form=form)
    if form == "text" and kind != "inline":
        folder = ".agents/" if mount == "/" else ""
        click.echo(
            f"note: {url} must have {folder}hooks.json at its root, as `policyc hooks generate` writes it.",
            err=True,
        )
    print_json(document)
