"""``policyc schema``: the JSON Schemas of what people write, for editors."""

from __future__ import annotations

import json

import click

from policyc.hooks.schema import load_schema as hooks_schema
from policyc.source.schema import NAMES, schema_text


@click.command("schema")
@click.argument("name", type=click.Choice([*NAMES, "hooks"]), default="policy", required=False)
def command(name: str) -> None:
    """Print the JSON Schema (2020-12) of a policy file, bundle.yaml, values.yaml or hooks.json."""
    text = json.dumps(hooks_schema(), indent=2) if name == "hooks" else schema_text(name)
    click.echo(text.rstrip("\n"))
