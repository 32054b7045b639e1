"""``policyc mcp``: an MCP server behind the policy, and what was accepted of its tools."""

from __future__ import annotations

import sys

import click
from policyc_server.settings import Settings

from policyc.cli import mcp_pins
from policyc.cli.answers import PATH, fail, trusted_keys, verify_key_option
from policyc.cli.served import bundle_option


class _WrapUnlessSaid(click.Group):
    """`policyc mcp [OPTIONS] -- COMMAND...` without the name of a command is `wrap`."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        is_said = not args or args[0] in (*self.commands, *context.help_option_names)
        return super().parse_args(context, args if is_said else ["wrap", *args])


@click.group("mcp", cls=_WrapUnlessSaid)
def command() -> None:
    """Put an MCP server behind the policy: policyc mcp --bundle TARGET --name NAME -- COMMAND...

    That is short for `wrap`. Servers over HTTP are proxied by `policyc serve`, below /mcp/.
    """


@command.command("wrap")
@bundle_option
@verify_key_option
@click.option(
    "--bundle-header", envvar="POLICYC_BUNDLE_HEADER", help="Only as POLICYC_BUNDLE_HEADER.", hidden=True
)
@click.option("--state", type=PATH, help="Folder of the store: events, approvals, budgets, accepted tools.")
@click.option(
    "--database", envvar="POLICYC_DATABASE", metavar="URL", help="Store that is shared; see `policyc serve`."
)
@click.option(
    "--max-stale", type=float, metavar="SECONDS", help="Deny once the policy is unconfirmed this long."
)
@click.option("--name", required=True, help="The server's name in rules: its tools are mcp.NAME.TOOL.")
@click.option("--agent", help="Who calls; selects the policy through the bundle's bindings.")
@click.option("--run", help="What the calls are a part of, for budgets and the console.")
@click.argument("server", metavar="-- COMMAND...", nargs=-1, required=True)
def wrap_server(
    verify_keys: tuple[str, ...],
    name: str,
    agent: str | None,
    run: str | None,
    server: tuple[str, ...],
    **options: object,
) -> None:
    """Run COMMAND, an MCP server on standard input and output, and pass on what the policy allows."""
    try:
        from policyc_server.mcp.stdio.run import Wrapped, wrap
    except ModuleNotFoundError as error:
        fail("mcp_missing", f"the module {error.name} is missing", "pip install 'policyc[mcp]'")
    settings = Settings(verify_keys=tuple(trusted_keys(verify_keys, "text")), **options)  # type: ignore[arg-type]
    sys.exit(wrap(settings, Wrapped(name, server, agent, run)))


command.add_command(mcp_pins.command)
