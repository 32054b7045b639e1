"""``policyc serve``: the hot-reloading evaluator."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from policyc_server.run import run
from policyc_server.settings import Settings
from policyc_server.settings_file.reading import SettingsFile, SettingsFileError, read_settings_file

from policyc.cli.answers import PATH, UNUSABLE, fail, trusted_keys, verify_key_option
from policyc.cli.served import bundle_option
from policyc.source.render import render_text

_DEFAULTS = Settings(bundle=Path())


def _settings_file(_context: click.Context, _parameter: click.Parameter, path: Path | None) -> SettingsFile:
    if path is None:
        return SettingsFile()
    try:
        return read_settings_file(path)
    except OSError as error:
        fail("unreadable_file", f"cannot read {path}: {error.strerror}")
    except SettingsFileError as error:
        click.echo(render_text(error.diagnostics, {str(path): error.content}), err=True, nl=False)
        sys.exit(UNUSABLE)


@click.command("serve")
@bundle_option
@verify_key_option
@click.option(
    "--bundle-header",
    envvar="POLICYC_BUNDLE_HEADER",
    metavar="HEADER",
    help="Header for the URL's host; better given as POLICYC_BUNDLE_HEADER.",
)
@click.option(
    "--refresh",
    type=float,
    default=_DEFAULTS.refresh,
    show_default=True,
    metavar="SECONDS",
    help="Between looks at a URL.",
)
@click.option(
    "--workers", type=int, default=_DEFAULTS.workers, show_default=True, help="Processes; needs a store."
)
@click.option(
    "--export",
    "exports",
    multiple=True,
    metavar="URL",
    help="Send events: https://.../v1/logs (OTLP), syslog+udp|tcp|tls://host:port, syslog+unix:///dev/log.",
)
@click.option(
    "--state", type=PATH, help="Folder that keeps events, approvals and the highest version served."
)
@click.option(
    "--database",
    envvar="POLICYC_DATABASE",
    metavar="URL",
    help="postgresql:// store that replicas share; better given as POLICYC_DATABASE.",
)
@click.option("--durable-events", is_flag=True, help="Answer only once the event is committed.")
@click.option("--keep-days", type=float, metavar="DAYS", help="Delete events older than this.")
@click.option("--keep-events", type=int, metavar="COUNT", help="Keep this many events, the newest.")
@click.option(
    "--approval-ttl",
    type=int,
    default=_DEFAULTS.approval_ttl,
    show_default=True,
    metavar="SECONDS",
    help="For a reviewer to decide a hold whose rule says nothing of it.",
)
@click.option(
    "--webhook",
    "webhooks",
    multiple=True,
    metavar="URL",
    help="https URL that is told of new holds; signed with POLICYC_WEBHOOK_SECRET.",
)
@click.option("--webhook-loopback", is_flag=True, hidden=True)
@click.option("--host", default=_DEFAULTS.host, show_default=True, help="Address to listen on.")
@click.option("--port", type=int, default=_DEFAULTS.port, show_default=True, help="0 takes a free one.")
@click.option(
    "--public-url",
    default="",
    metavar="URL",
    help="Where clients reach the server; for links in its answers.",
)
@click.option("--token", envvar="POLICYC_TOKEN", help="API token of clients; better given as POLICYC_TOKEN.")
@click.option("--keys-file", type=PATH, help="API keys, made by `policyc keys create --file`.")
@click.option(
    "--console-header", metavar="NAME", help="Header in which a trusted proxy names who is at the console."
)
@click.option(
    "--console-proxy", "console_proxies", multiple=True, metavar="CIDR", help="Address of a proxy in front."
)
@click.option(
    "--console-user", "users", multiple=True, metavar="NAME=ROLE", help="Whom it may name: reviewer or admin."
)
@click.option("--tls-cert", type=PATH, help="Certificate chain (PEM).")
@click.option("--tls-key", type=PATH, help="Its private key (PEM).")
@click.option(
    "--max-stale", type=float, metavar="SECONDS", help="Deny once the policy is unconfirmed this long."
)
@click.option("--body-limit", type=int, default=_DEFAULTS.body_limit, show_default=True, metavar="BYTES")
@click.option(
    "--settings",
    "settings_file",
    type=PATH,
    callback=_settings_file,
    help="YAML file: upstreams of the LLM gateway, their prices, MCP servers.",
)
@click.option("--decisions-log", type=PATH, help="Append every decision to this file as a JSON line.")
def command(
    verify_keys: tuple[str, ...], users: tuple[str, ...], settings_file: SettingsFile, **options: object
) -> None:
    """Serve decisions over HTTP; a new artifact is served as soon as it is there and verified."""
    keys = tuple(trusted_keys(verify_keys, "text"))
    people = tuple((name, role) for name, _, role in (user.rpartition("=") for user in users))
    # A secret on a command line is everybody's.
    secret = os.environ.get("POLICYC_WEBHOOK_SECRET")
    settings = Settings(
        verify_keys=keys,
        console_users=people,
        webhook_secret=secret,
        upstreams=settings_file.upstreams,
        prices=settings_file.prices,
        mcp_servers=settings_file.mcp_servers,
        **options,  # type: ignore[arg-type]
    )
    sys.exit(run(settings))
