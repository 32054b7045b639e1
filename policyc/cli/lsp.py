"""``policyc lsp``: the language server, for editors."""

from __future__ import annotations

import click

from policyc.cli.answers import fail


@click.command("lsp")
def command() -> None:
    """Speak the Language Server Protocol on standard input and output, for an editor to start."""
    try:
        from policyc.lsp.server import language_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("extra_missing", "the language server needs pygls", "Install policyc[lsp].", form="text")
    language_server().start_io()
