"""``policyc hooks``: what runs beside the agent; one file per command."""

from __future__ import annotations

import click

from policyc.cli.lazy import LazyGroup

COMMANDS = {
    "doctor": "policyc.cli.hooks.doctor",
    "generate": "policyc.cli.hooks.generate",
    "run": "policyc.cli.hooks.run",
    "sources": "policyc.cli.hooks.sources",
}


@click.group("hooks", cls=LazyGroup, modules=COMMANDS)
def command() -> None:
    """Generate, run and examine what runs beside the agent."""
