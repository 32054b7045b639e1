"""``policyc hooks generate``: the files that an agent reads."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from policyc.cli.answers import PATH, REFUSED, fail, format_option, loaded, print_json, verify_key_option
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import TARGETS, generate_hooks
from policyc.hooks.self_protection import require_self_protection
from policyc.hooks.write import drift, write_files


@click.command("generate")
@click.argument("target", type=PATH)
@click.option("--target", "agent", type=click.Choice(TARGETS), default="managed", show_default=True)
@click.option("--out", type=PATH, default=".", show_default=True, help="Folder that holds .agents/.")
@click.option(
    "--check", is_flag=True, help="Write nothing; exit 1 when a file differs from what it would be."
)
@click.option(
    "--no-self-protection",
    "unprotected",
    is_flag=True,
    help="Without protect_control_plane in the policy too.",
)
@verify_key_option
@format_option
def command(
    target: Path,
    agent: str,
    out: Path,
    check: bool,
    unprotected: bool,
    verify_keys: tuple[str, ...],
    form: str,
) -> None:
    """Write the hooks of TARGET (a bundle folder or an artifact) for an agent, and say what stays open."""
    try:
        data = loaded(target, verify_keys, form).plan.data
        if not unprotected:
            require_self_protection(data)
        generated = generate_hooks(data, agent)
        differences = drift(generated, out) if check else []
        written = [] if check else write_files(generated, out)
    except HooksError as error:
        fail(error.code, error.message, error.hint, form=form)
    if form == "json":
        print_json(
            {"files": [str(path) for path in written], "differences": differences, "notes": generated.notes}
        )
    else:
        for text in [*differences, *(str(path) for path in written)]:
            click.echo(text)
        for note in generated.notes:
            click.echo(f"note: {note}", err=True)
    sys.exit(REFUSED if differences else 0)
