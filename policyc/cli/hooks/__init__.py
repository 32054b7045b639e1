"""``policyc hooks``: what runs beside the agent; one file per command."""

from __future__ import annotations

import click

from policyc.cli.lazy import LazyGroup

COMMANDS = {
    "generate": "policyc.cli.hooks.generate",
    "run": "policyc.cli.hooks.run",
    "sources": "policyc.cli.hooks.sources",
}


@click.group("hooks", cls=LazyGroup, modules=COMMANDS)
def command() -> None:
    """Generate and run what runs beside the agent."""
