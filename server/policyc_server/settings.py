"""What an operator chooses, and the check that it can be served."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from policyc.bundle.keys import VerificationKey
from policyc.compiler.hooks import EVALUATOR_DEADLINE
from policyc.hooks.runtime.causes import CAUSES, NoSay
from policyc.runs.holds import DEFAULT_TTL
from policyc_server.approvals.sending import webhook_target
from policyc_server.auth.proxy import PEOPLE, Proxies, TrustedProxy
from policyc_server.export.target import target_problem
from policyc_server.remote.url import BundleUrl, url_problem
from policyc_server.settings_file.mcp_server import McpServer
from policyc_server.settings_file.prices import Price
from policyc_server.settings_file.upstream import Upstream
from policyc_server.store.database import sqlite_url

DEFAULT_PORT = 8460
MIB = 1024 * 1024
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]+")
_SHORTEST_SECRET = 16


@dataclass(frozen=True)
class Settings:
    """The configuration of one evaluator. Times are seconds, sizes bytes."""

    bundle: Path | BundleUrl
    """An artifact, a folder of sources or one policy file; or the URL of an artifact."""
    bundle_header: str | None = field(default=None, repr=False)
    """A header, `Name: value`, that goes to the host of the bundle's URL."""
    refresh: float = 30.0
    """Between looks at the bundle's URL, a quarter more or less."""
    download_deadline: float = 60.0
    """For one download."""
    workers: int = 1
    """Processes that serve; more than one share the store."""
    exports: tuple[str, ...] = field(default=(), repr=False)
    """Where events go besides the store: `http(s)://` for OTLP, `syslog+udp|tcp|tls|unix://`."""
    verify_keys: tuple[VerificationKey, ...] = ()
    """Trusted keys; with any, every load must be signed by one of them."""
    state: Path | None = None
    """Folder that keeps the highest version served and, without `database`, the store; made where missing."""
    database: str | None = field(default=None, repr=False)
    """URL of the store, `postgresql://` for several replicas; its password may come from the environment."""
    durable_events: bool = False
    """Answer only once the event is committed."""
    events_queue: int = 20_000
    """Events that wait for the store before more are lost."""
    keep_days: float | None = None
    """Age at which events are deleted."""
    keep_events: int | None = None
    """How many events are kept, the newest."""
    approval_ttl: int = DEFAULT_TTL
    """For a person to decide a hold whose rule says nothing of it, and for the approval to be used."""
    approvals_per_run: int = 20
    """Holds of one run that may wait at once."""
    webhooks: tuple[str, ...] = ()
    """URLs that are told of new holds; https only."""
    webhook_secret: str | None = field(default=None, repr=False)
    """Signs webhooks, and the callbacks that decide holds."""
    webhook_loopback: bool = False
    """Webhooks may go to this machine, also over plain http: for tests."""
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    """0 takes any free port."""
    public_url: str = ""
    """Where clients reach the server, without a slash at the end: it goes before the paths in answers."""
    token: str | None = field(default=None, repr=False)
    """The API token that clients send as `Authorization: Bearer`."""
    keys_file: Path | None = None
    """API keys as hashes, made by `policyc keys`; keys of the store count as well."""
    console_header: str | None = None
    """Header in which a trusted proxy names the person at the console; with it the next two."""
    console_proxies: tuple[str, ...] = ()
    """Addresses or CIDR blocks of such proxies; they are believed about clients' addresses and https too."""
    console_users: tuple[tuple[str, str], ...] = ()
    """Names that are let in, each with the role reviewer or admin."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    max_stale: float | None = None
    """Deny once the policy could not be confirmed for this long."""
    body_limit: int = MIB
    call_limit: int = 256
    """Calls in one list of `/v1/evaluate`."""
    deadline: float = float(EVALUATOR_DEADLINE)
    """For a request's body to arrive and be decided; well under the 30 s that a hook's caller waits."""
    decisions_log: Path | None = None
    decisions_queue: int = 10_000
    """Events that wait for the log before more are dropped."""
    poll: float = 2.0
    """Between looks at the disk when no file event arrives."""
    settle: float = 0.05
    """Quiet time after a file event before loading."""
    drain: float = 10.0
    """For requests in flight at shutdown."""
    upstreams: tuple[Upstream, ...] = ()
    """LLM APIs behind the gateway; without any there is no gateway."""
    prices: tuple[Price, ...] = ()
    """What their models cost; without any their cost is not counted."""
    mcp_servers: tuple[McpServer, ...] = ()
    """MCP servers over HTTP that are proxied."""

    @property
    def store_url(self) -> str | None:
        """The store's URL; None where nothing is kept."""
        if self.database is not None or self.state is None:
            return self.database
        return sqlite_url(self.state)

    @property
    def proxies(self) -> Proxies:
        """The proxies that are believed about clients. Raises ValueError where an address is none."""
        return Proxies.of(self.console_proxies)

    @property
    def console_proxy(self) -> TrustedProxy | None:
        """Whom the console believes about people. Raises ValueError where an address is none."""
        if self.console_header is None:
            return None
        return TrustedProxy.of(self.console_header, self.console_proxies, self.console_users)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def refresh_interval(self) -> float:
        """`refresh`, or less where `max_stale` needs fresher looks."""
        return self.refresh if self.max_stale is None else min(self.refresh, self.max_stale / 3)

    @property
    def poll_interval(self) -> float:
        """`poll`, or less where `max_stale` needs fresher looks."""
        return self.poll if self.max_stale is None else min(self.poll, self.max_stale / 3)


@dataclass(frozen=True)
class SettingsProblem:
    """One setting that cannot be served. Codes are stable."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"error[{self.code}]: {self.message}"


class SettingsError(ValueError):
    """Settings that cannot be served, with every problem found."""

    def __init__(self, problems: tuple[SettingsProblem, ...]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems


_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[!-~]([ -~]*[!-~])?")
_PUBLIC_URL = re.compile(r"(https?://[0-9A-Za-z.:\[\]-]+(/[0-9A-Za-z._~!$&'()*+,;=:@%-]+)*)?")
_POSITIVE = (
    "approval_ttl",
    "approvals_per_run",
    "body_limit",
    "call_limit",
    "deadline",
    "download_deadline",
    "decisions_queue",
    "drain",
    "events_queue",
    "keep_days",
    "keep_events",
    "poll",
    "refresh",
    "settle",
    "workers",
)


def check_settings(settings: Settings) -> tuple[SettingsProblem, ...]:
    """Every problem of `settings`; looks at the disk, changes nothing."""
    found = (
        *_exposure(settings),
        *_proxy(settings),
        *_webhooks(settings),
        *_files(settings),
        *_addresses(settings),
        *_numbers(settings),
        *_upstreams(settings),
        *_mcp_servers(settings),
    )
    return tuple(SettingsProblem(code, message) for code, message in found)


def _exposure(settings: Settings) -> Iterator[tuple[str, str]]:
    token = settings.token
    if token is not None and not (token.isascii() and token.isprintable() and token and " " not in token):
        yield "token_invalid", "a token is one or more printable ASCII characters without blanks"
    if (settings.tls_cert is None) != (settings.tls_key is None):
        yield "tls_incomplete", "TLS needs both a certificate and its key"
    if not _PUBLIC_URL.fullmatch(settings.public_url):
        yield (
            "public_url_invalid",
            "a public URL is http(s)://HOST, with a path or not, and no slash at the end",
        )


def _proxy(settings: Settings) -> Iterator[tuple[str, str]]:
    named = (settings.console_header is not None, bool(settings.console_users))
    if any(named) and not (all(named) and settings.console_proxies):
        yield "proxy_incomplete", "a trusted proxy needs its header, its addresses and the users it may name"
    if not _HEADER_NAME.fullmatch(settings.console_header or "x"):
        yield "proxy_invalid", f"{settings.console_header!r} is no name of a header"
    for user, role in settings.console_users:
        if role not in PEOPLE or not user:
            yield "proxy_invalid", f"{user}={role}: a user is NAME={' or NAME='.join(PEOPLE)}"
    try:
        _ = settings.proxies
    except ValueError as error:
        yield "proxy_invalid", f"a proxy is an address or a CIDR block: {error}"


def _webhooks(settings: Settings) -> Iterator[tuple[str, str]]:
    secret = settings.webhook_secret
    if secret is not None and len(secret) < _SHORTEST_SECRET:
        yield "webhook_secret_weak", f"a webhook secret has {_SHORTEST_SECRET} characters or more"
    if settings.webhooks and secret is None:
        yield "webhook_secret_required", "webhooks are signed: set POLICYC_WEBHOOK_SECRET"
    if settings.webhooks and settings.store_url is None:
        yield "store_required", "webhooks need a store: give --state or --database"
    for number, url in enumerate(settings.webhooks, 1):
        try:
            webhook_target(url, loopback=settings.webhook_loopback)
        except NoSay as error:
            # Not repeated: its path or password may be a secret.
            yield "webhook_invalid", f"webhook {number} is refused: {CAUSES[error.cause]}"


def _files(settings: Settings) -> Iterator[tuple[str, str]]:
    if settings.verify_keys and isinstance(settings.bundle, Path) and settings.bundle.is_dir():
        yield (
            "sources_unsigned",
            f"{settings.bundle} is a folder of sources, which cannot be signed: serve a signed artifact",
        )
    if settings.state is not None and settings.state.exists() and not settings.state.is_dir():
        yield "state_invalid", f"{settings.state} is not a folder"
    for path in (settings.tls_cert, settings.tls_key):
        if path is not None and not path.is_file():
            yield "tls_unreadable", f"{path} is not a file"


def _addresses(settings: Settings) -> Iterator[tuple[str, str]]:
    bundle, header = settings.bundle, settings.bundle_header
    if isinstance(bundle, BundleUrl) and (problem := url_problem(bundle.text)):
        yield "bundle_url_invalid", f"{bundle} cannot be asked: {problem}"
    if header is not None and not _HEADER.fullmatch(header):
        yield "bundle_header_invalid", "POLICYC_BUNDLE_HEADER is no header like `Authorization: Bearer ...`"
    for target in settings.exports:
        if problem := target_problem(target):
            yield "export_invalid", problem


def _numbers(settings: Settings) -> Iterator[tuple[str, str]]:
    if not 0 <= settings.port <= 65535:
        yield "port_invalid", f"{settings.port} is not a port"
    for name in _POSITIVE:
        if (value := getattr(settings, name)) is not None and value <= 0:
            yield f"{name}_invalid", f"{name} must be above 0"
    if settings.store_url is None:
        needs = [
            name
            for name in ("durable_events", "keep_days", "keep_events", "exports")
            if getattr(settings, name)
        ]
        if settings.workers > 1:
            needs.append("workers")
        for name in needs:
            yield "store_required", f"{name} needs a store: give --state or --database"
    if settings.max_stale is not None and settings.max_stale < 1:
        yield "max_stale_invalid", "max_stale must be a second or more"


def _mcp_servers(settings: Settings) -> Iterator[tuple[str, str]]:
    for server in settings.mcp_servers:
        for variable in server.missing():
            yield "credential_missing", f"MCP server {server.name}: {variable} is not in the environment"
    if settings.mcp_servers and find_spec("mcp") is None:
        yield "mcp_missing", "mcp_servers needs the SDK: pip install 'policyc[mcp]'"


def _upstreams(settings: Settings) -> Iterator[tuple[str, str]]:
    for upstream in settings.upstreams:
        variable = upstream.credential_env
        if variable is not None and not os.environ.get(variable):
            yield "credential_missing", f"upstream {upstream.name}: {variable} is not in the environment"
        if variable is not None and upstream.passthrough_auth:
            both = "credential_env and passthrough_auth exclude each other"
            yield "credential_twice", f"upstream {upstream.name}: {both}"
    if settings.prices and settings.store_url is None:
        yield "store_required", "prices needs a store: give --state or --database"
