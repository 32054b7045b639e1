"""The settings file: read with positions, checked against its schema, lowered to plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from policyc.source.diagnostics import Diagnostic, JsonPath
from policyc.source.read import read_document
from policyc.source.schema import Shape
from policyc_server.remote.url import is_loopback
from policyc_server.settings_file.mcp_server import McpServer, header_fits, name_problem
from policyc_server.settings_file.prices import Price
from policyc_server.settings_file.upstream import Upstream

_SCHEMA = Path(__file__).parent / "settings.schema.json"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class SettingsFile:
    """What the file says. Every key may be left out."""

    upstreams: tuple[Upstream, ...] = ()
    prices: tuple[Price, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()


class SettingsFileError(ValueError):
    """A settings file that cannot be used: every problem, and the text that they are about."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], content: bytes) -> None:
        super().__init__("; ".join(found.message for found in diagnostics))
        self.diagnostics = diagnostics
        self.content = content


def read_settings_file(path: Path) -> SettingsFile:
    """What the file at ``path`` says. Raises SettingsFileError, and OSError where it cannot be read."""
    return read_settings(str(path), path.read_bytes())


def read_settings(path: str, content: bytes) -> SettingsFile:
    """The settings in ``content``, which diagnostics call ``path``. Raises SettingsFileError."""
    document, findings = read_document(path, content)
    if document is not None:
        wrong = _shape().report(document.root, document, (), findings)
        if not wrong:
            for code, at, message, hint in _problems(document.root):
                findings.add(code, document.place_of(at), at, message, hint)
    if document is None or findings.errors:
        raise SettingsFileError(findings.diagnostics, content)
    root = document.root
    return SettingsFile(
        upstreams=tuple(Upstream.of(name, entry) for name, entry in root.get("upstreams", {}).items()),
        prices=tuple(Price.of(entry) for entry in root.get("prices", ())),
        mcp_servers=tuple(McpServer.of(name, entry) for name, entry in root.get("mcp_servers", {}).items()),
    )


def schema_text() -> str:
    """The schema of the file as it ships."""
    return _SCHEMA.read_text("utf-8")


@cache
def _shape() -> Shape:
    root: dict[str, Any] = json.loads(schema_text())
    return Shape(root)


_Problem = tuple[str, JsonPath, str, str]


def _problems(root: dict[str, Any]) -> Iterator[_Problem]:
    """What the schema cannot say."""
    for name, entry in root.get("upstreams", {}).items():
        at = ("upstreams", name)
        if not _NAME.fullmatch(name):
            hint = "lower-case letters, digits, `-` and `_`, starting with a letter: it is part of URLs"
            yield "bad_name", at, f"an upstream cannot be called `{name}`", hint
        sends_credential = "credential_env" in entry or entry.get("passthrough_auth", False)
        problem = _url_problem(entry["base_url"], sends_credential=sends_credential)
        if problem is not None:
            hint = "write what stands before the API's own paths, such as https://api.openai.com"
            yield "bad_url", (*at, "base_url"), problem, hint
    for name, entry in root.get("mcp_servers", {}).items():
        at = ("mcp_servers", name)
        if problem := name_problem(name):
            yield "bad_name", at, problem, "rules call its tools mcp.NAME.TOOL, and NAME.TOOL"
        if problem := _url_problem(entry["url"], sends_credential="headers" in entry):
            hint = "write its endpoint, such as https://crm.example.com/mcp; secrets go under `headers`"
            yield "bad_url", (*at, "url"), problem, hint
        for header in entry.get("headers", {}):
            if not header_fits(header):
                hint = "write one that says who asks, such as `Authorization`"
                yield "bad_name", (*at, "headers", header), f"`{header}` cannot be set here", hint


def _url_problem(url: str, *, sends_credential: bool) -> str | None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "this is no URL"
    if parts.scheme not in ("https", "http") or not host:
        return "this is no https:// URL of a host"
    if parts.username is not None or parts.query or parts.fragment or not url.isprintable():
        return "there is no credential, query or fragment in it"
    if parts.scheme == "http" and sends_credential and not is_loopback(host):
        return "over http:// a credential could be read on the way"
    return None
