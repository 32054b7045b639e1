"""The option that says which policy is served: of `serve` and of `mcp`."""

from __future__ import annotations

from pathlib import Path

import click
from policyc_server.remote.url import BundleUrl, is_url


def _source(_context: click.Context, _parameter: click.Parameter, text: str) -> Path | BundleUrl:
    return BundleUrl(text) if is_url(text) else Path(text)


bundle_option = click.option(
    "--bundle",
    metavar="PATH|URL",
    callback=_source,
    required=True,
    help="Artifact, on disk or at an https:// URL; or a folder of sources, for development.",
)
