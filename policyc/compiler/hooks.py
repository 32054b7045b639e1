"""``hooks`` of a bundle: what would not run, would not match, or would give a secret away."""

from __future__ import annotations

from typing import Any

from policyc.compiler.network import check_url, is_allowed, is_blocked_host, url_host
from policyc.compiler.patterns import written_out
from policyc.compiler.secrets import carries_credential, has_variable, looks_like_token
from policyc.engine.dialects.managed import DIALECT
from policyc.engine.regex import RegexError, compile_regex
from policyc.source.diagnostics import JsonPath, touches
from policyc.source.findings import Findings
from policyc.source.nodes import Document

EVENTS = ("pre_tool_execution", "post_tool_execution")
DEFAULT_TIMEOUT = 30
#: The least ``timeout`` of a gate: it denies within two thirds of it, in whole seconds.
GATE_LEAST_TIMEOUT = 2
#: Seconds in which the evaluator answers every hook event, if only to deny it.
EVALUATOR_DEADLINE = 5
#: Matchers the agent takes for every tool; the first is no regular expression.
CATCH_ALL = ("*", "", ".*")


def lower_hooks(
    root: dict[str, Any], wrong: tuple[JsonPath, ...], document: Document, findings: Findings
) -> list[dict[str, Any]]:
    """``hooks`` of data.json: a list, because the order of groups matters and canonical JSON sorts keys.

    ``enabled`` is there when the author wrote it; absent means true. ``wrong`` are the places of a wrong
    shape: they were reported, and nothing more is said of them.
    """
    checker = _Checker(root, wrong, document, findings)
    hooks = root.get("hooks")
    groups = hooks.items() if isinstance(hooks, dict) else ()
    return [checker.group(name, group) for name, group in groups if ("hooks", name) not in wrong]


class _Checker:
    def __init__(
        self, root: dict[str, Any], wrong: tuple[JsonPath, ...], document: Document, findings: Findings
    ) -> None:
        self._server: str | None = root.get("server", {}).get("url")
        network = root.get("network")
        self._domains = None if network is None else [entry["domain"] for entry in network["allowlist"]]
        self._wrong = wrong
        self._document = document
        self._findings = findings

    def group(self, name: str, group: dict[str, Any]) -> dict[str, Any]:
        """One group as data.json has it."""
        lowered: dict[str, Any] = {"name": name}
        if "enabled" in group:
            lowered["enabled"] = group["enabled"]
        for event in EVENTS:
            at = ("hooks", name, event)
            entries = [] if at in self._wrong else group.get(event, [])
            lowered[event] = [
                self._entry(entry, event, (*at, number))
                for number, entry in enumerate(entries)
                if not touches(self._wrong, (*at, number))
            ]
        return lowered

    def _add(self, code: str, at: JsonPath, message: str, hint: str | None = None) -> None:
        self._findings.add(code, self._document.place_of(at), at, message, hint)

    def _entry(self, entry: dict[str, Any], event: str, at: JsonPath) -> dict[str, Any]:
        matcher, handler = entry.get("matcher"), entry["handler"]
        if matcher is not None:
            self._matcher(matcher, (*at, "matcher"))
        if handler == "server":
            self._server_handler((*at, "handler"))
            self._server_timeout(entry, at)
        elif handler == "gate":
            self._gate(entry, event, at)
        elif handler["type"] == "http":
            self._http(handler, (*at, "handler"))
        elif looks_like_token(handler["command"]):
            hint = "read it from the environment of the sandbox, or from a file"
            self._add(
                "secret_in_source", (*at, "handler", "command"), "the command has a credential in it", hint
            )
        lowered = handler if isinstance(handler, str) else _plain(handler)
        return {"matcher": matcher, "handler": lowered, "timeout": int(entry.get("timeout", DEFAULT_TIMEOUT))}

    def _matcher(self, matcher: str, at: JsonPath) -> None:
        if matcher in CATCH_ALL:
            return
        try:
            pattern = compile_regex(written_out(matcher))
        except RegexError as error:
            hint = f"it is no shell glob: write `.{matcher}`" if matcher.startswith("*") else None
            self._add("bad_matcher", at, f"`{matcher}` is not RE2, so it matches no tool: {error}", hint)
            return
        if not any(pattern.search(name) for name in DIALECT.tools):
            names = ", ".join(DIALECT.tools)
            self._add(
                "matcher_reaches_nothing", at, f"`{matcher}` matches no tool of the agent", f"it has {names}"
            )

    def _server_handler(self, at: JsonPath) -> None:
        if touches(self._wrong, ("server",)):
            return
        if self._server is None:
            hint = "add `server: {url: https://...}` to bundle.yaml"
            self._add("missing_server_url", at, "the handler `server` needs `server.url`", hint)
        elif url_host(self._server) is not None:  # else it was reported
            self._reachable(self._server, ("server", "url"), at)

    def _server_timeout(self, entry: dict[str, Any], at: JsonPath) -> None:
        if entry.get("timeout", DEFAULT_TIMEOUT) <= EVALUATOR_DEADLINE:
            message = (
                f"the evaluator answers within {EVALUATOR_DEADLINE} s, and a hook that times out before "
                "lets the call run"
            )
            self._add(
                "hook_timeout_too_short", (*at, "timeout"), message, f"give it {EVALUATOR_DEADLINE + 5}"
            )

    def _gate(self, entry: dict[str, Any], event: str, at: JsonPath) -> None:
        if event != "pre_tool_execution":
            hint = "put it under `pre_tool_execution`; record events with the handler `server`"
            self._add("gate_after_call", (*at, "handler"), "the gate decides, and the call has run", hint)
        elif entry.get("timeout", DEFAULT_TIMEOUT) < GATE_LEAST_TIMEOUT:
            message = "the gate must deny before the agent stops waiting, which takes whole seconds"
            self._add("hook_timeout_too_short", (*at, "timeout"), message, "give it 15")

    def _http(self, handler: dict[str, Any], at: JsonPath) -> None:
        url_at = (*at, "url")
        if check_url(handler["url"], url_at, self._document, self._findings):
            self._reachable(handler["url"], url_at, url_at)
        for header, value in handler.get("headers", {}).items():
            self._header(header, value, (*at, "headers", header))

    def _reachable(self, url: str, url_at: JsonPath, handler_at: JsonPath) -> None:
        host = url_host(url) or ""
        if is_blocked_host(host):
            message = f"the sandbox's egress proxy blocks loopback and private hosts such as `{host}`"
            self._add("hook_url_blocked", url_at, message, "use a public https endpoint, or a command")
        elif not url.startswith("https://"):
            hint = f"write `https://{url.partition('://')[2]}`"
            self._add("hook_url_blocked", url_at, "the sandbox's egress proxy passes https only", hint)
        elif self._domains is not None and not is_allowed(host, self._domains):
            message = f"`{host}` is not on network.allowlist: the hook would fail, and let the call run"
            self._add("hook_host_not_allowed", handler_at, message, f"add `- domain: {host}`")

    def _header(self, header: str, value: str, at: JsonPath) -> None:
        if carries_credential(header, value):
            hint = "the egress proxy adds it: network.allowlist, `transform`, with a ${VARIABLE}"
            self._add(
                "secret_in_source",
                at,
                f"`{header}` carries a credential, and the agent reads hooks.json",
                hint,
            )
        elif has_variable(value):
            hint = "write it out, or use network.allowlist, `transform`"
            self._add("hook_header_variable", at, f"nothing expands `{value}` in hooks.json", hint)


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    return {key: dict(item) if isinstance(item, dict) else item for key, item in value.items()}
