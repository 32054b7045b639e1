"""``policyc schema``: the JSON Schemas of what people write, for editors."""

from __future__ import annotations

import json

import click
from policyc_server.settings_file.reading import schema_text as settings_schema

from policyc.hooks.schema import load_schema as hooks_schema
from policyc.source.schema import NAMES, schema_text

#: Files beside a bundle's own.
_OTHERS = {"hooks": lambda: json.dumps(hooks_schema(), indent=2), "settings": settings_schema}


@click.command("schema")
@click.argument("name", type=click.Choice([*NAMES, *_OTHERS]), default="policy", required=False)
def command(name: str) -> None:
    """Print the JSON Schema (2020-12) of a policy file, bundle.yaml, values.yaml, hooks.json, or settings."""
    text = _OTHERS[name]() if name in _OTHERS else schema_text(name)
    click.echo(text.rstrip("\n"))
