"""The command line: one file per command; each parses, calls the library and prints.

Exit codes: 0 done, 1 the policy or the check says no, 2 used wrongly or a file could not be read.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import NoReturn

import click

import policyc
from policyc.cli.lazy import LazyGroup

#: Command -> the module that holds it, in the order that ``--help`` shows.
COMMANDS = {
    "init": "policyc.cli.init",
    "check": "policyc.cli.check",
    "fmt": "policyc.cli.fmt",
    "lint": "policyc.cli.lint",
    "test": "policyc.cli.test",
    "build": "policyc.cli.build",
    "keygen": "policyc.cli.keygen",
    "sign": "policyc.cli.sign",
    "verify": "policyc.cli.verify",
    "inspect": "policyc.cli.inspect",
    "eval": "policyc.cli.eval",
    "diff": "policyc.cli.diff",
    "replay": "policyc.cli.replay",
    "hooks": "policyc.cli.hooks",
    "schema": "policyc.cli.schema",
    "serve": "policyc.cli.serve",
    "keys": "policyc.cli.keys",
    "mcp": "policyc.cli.mcp",
    "lsp": "policyc.cli.lsp",
    "bench": "policyc.cli.bench",
}


class _Commands(LazyGroup):
    def invoke(self, context: click.Context) -> object:
        try:
            try:
                return super().invoke(context)
            finally:
                # The language server closes what it spoke on.
                if not sys.stdout.closed:
                    sys.stdout.flush()
        except OSError as error:
            # Everything else that can fail is caught where it is done: this is the output itself.
            _give_up_output(error)


def _give_up_output(error: OSError) -> NoReturn:
    # What is still buffered would fail again when Python flushes at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno != errno.EPIPE:  # a reader that has seen enough, such as `head`, is no fault to report
        click.echo(f"error[output_failed]: cannot write the output: {error.strerror}", err=True)
    sys.exit(2)


@click.group(cls=_Commands, modules=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(policyc.__version__, prog_name="policyc")
def main() -> None:
    """Policy-as-code for what AI agents may do with tools."""
