"""The hooks that a bundle declares, read from its compiled data into typed values.

The compiler has checked what people write. The data of an artifact may come from elsewhere, so what the agent
would not understand, and therefore skip without a word, is refused here once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from policyc.compiler.hooks import CATCH_ALL, DEFAULT_TIMEOUT, EVENTS, GATE_LEAST_TIMEOUT
from policyc.compiler.network import is_blocked_host, url_host
from policyc.engine.regex import RegexError, compile_regex
from policyc.hooks.errors import HooksError


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate, which decides in the sandbox by the policies as they were when it was generated, and asks
    ``server``, the bundle's own, where it does not deny."""

    server: Http | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that runs in the sandbox."""

    command: str


@dataclass(frozen=True, slots=True)
class Http:
    """An https endpoint; ``evaluator`` when it is the bundle's own server, which decides by the policies."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    evaluator: bool = False

    @property
    def host(self) -> str:
        return url_host(self.url) or ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One handler of an event; ``timeout`` in seconds, ``matcher`` None where it follows from the rules.

    ``gated``: a gate runs right before the handler, for the same tools.
    """

    place: str
    event: str
    matcher: str | None
    handler: Gate | Command | Http
    timeout: int
    gated: bool = False

    @property
    def asks_evaluator(self) -> bool:
        return isinstance(self.handler, Http) and self.handler.evaluator

    @property
    def is_asking_gate(self) -> bool:
        return isinstance(self.handler, Gate) and self.handler.server is not None

    @property
    def decides(self) -> bool:
        """Whether it stops calls by the bundle's policies."""
        before = self.event == "pre_tool_execution"
        return before and (self.gated or self.asks_evaluator or isinstance(self.handler, Gate))


@dataclass(frozen=True, slots=True)
class Group:
    """A named group; ``enabled`` is None where the author left it out, which means true."""

    name: str
    enabled: bool | None
    entries: tuple[Entry, ...]

    @property
    def runs(self) -> bool:
        return self.enabled is not False


def read_groups(data: Mapping[str, Any]) -> tuple[Group, ...]:
    """The groups of ``data["hooks"]`` in their order, with each group's events in the order of EVENTS.

    Raises HooksError.
    """
    groups = [_object(group, "hooks") for group in _list(data.get("hooks"), "hooks")]
    return tuple(_group(_text(group.get("name"), "hooks.name"), group, data) for group in groups)


def allowed_domains(data: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The domains of ``network.allowlist``; None where the bundle does not restrict the network."""
    if data.get("network") is None:
        return None
    entries = _list(_object(data["network"], "network").get("allowlist"), "network.allowlist")
    return tuple(
        _text(_object(entry, "network.allowlist").get("domain"), "network.allowlist.domain")
        for entry in entries
    )


def matcher_problem(matcher: str) -> str | None:
    """What the agent's RE2 refuses in ``matcher``, or None. A matcher that it refuses matches nothing."""
    if matcher in CATCH_ALL:
        return None
    try:
        compile_regex(matcher)
    except RegexError as error:
        return str(error)
    return None


def _group(name: str, group: dict[str, Any], data: Mapping[str, Any]) -> Group:
    enabled = group.get("enabled")
    if not isinstance(enabled, bool | None):
        raise _invalid(f"{name}.enabled", "true or false")
    entries = tuple(
        _entry(_object(entry, f"{name}.{event}[{index}]"), f"{name}.{event}[{index}]", event, data)
        for event in EVENTS
        for index, entry in enumerate(_list(group.get(event), f"{name}.{event}"))
    )
    return Group(name, enabled, entries)


def _entry(entry: dict[str, Any], place: str, event: str, data: Mapping[str, Any]) -> Entry:
    timeout = entry.get("timeout", DEFAULT_TIMEOUT)
    if not isinstance(timeout, int) or isinstance(timeout, bool) or timeout < 1:
        raise _invalid(f"{place}.timeout", "a positive whole number of seconds")
    matcher = None if entry.get("matcher") is None else _matcher(entry["matcher"], f"{place}.matcher")
    handler = _handler(entry.get("handler"), place, event, data)
    if isinstance(handler, Gate) and (event != "pre_tool_execution" or timeout < GATE_LEAST_TIMEOUT):
        raise _invalid(place, f"a gate before a call, with {GATE_LEAST_TIMEOUT} s or more")
    return Entry(place, event, matcher, handler, timeout)


def _matcher(value: object, place: str) -> str:
    matcher = _text(value, place)
    problem = matcher_problem(matcher)
    if problem is not None:
        raise _invalid(place, f"RE2 ({problem})")
    return matcher


def _handler(value: object, place: str, event: str, data: Mapping[str, Any]) -> Gate | Command | Http:
    if value == "gate":
        return Gate()
    if value == "server":
        base = _url(_object(data.get("server"), "server").get("url"), "server.url")
        if "?" in base or "#" in base:
            raise _invalid("server.url", "a base URL: it has a query or a fragment")
        return Http(f"{base.rstrip('/')}/v1/hooks/{event}", evaluator=True)
    handler = _object(value, f"{place}.handler")
    if handler.get("type") == "command":
        return Command(_text(handler.get("command"), f"{place}.handler.command"))
    if handler.get("type") == "http":
        url = _url(handler.get("url"), f"{place}.handler.url")
        return Http(url, _headers(handler.get("headers"), f"{place}.handler.headers"))
    raise _invalid(f"{place}.handler.type", "command or http")


def _url(value: object, place: str) -> str:
    url = _text(value, place)
    host = url_host(url)
    if host is None or is_blocked_host(host) or not url.lower().startswith("https://"):
        # Not repeated in the message: it may hold a secret, and what is printed ends up in logs.
        raise _invalid(place, "an https URL of a host outside the sandbox")
    return url


def _headers(value: object, place: str) -> dict[str, str]:
    return {name: _text(text, f"{place}.{name}") for name, text in _object(value, place).items()}


# One reader per JSON type. Null is an absent object or list, and so an empty one.


def _object(value: object, place: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _invalid(place, "an object")
    return value


def _list(value: object, place: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _invalid(place, "a list")
    return value


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise _invalid(place, "a string")
    return value


def _invalid(place: str, expected: str) -> HooksError:
    return HooksError("hooks_invalid", f"{place} is not {expected}")
