"""Problems of hooks, of the server they call and of the network they run in."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error, warning

_POLICY = "-- policies/x.yaml --\n- {priority: 9999, verdict: deny}\n"


def _hook(entry: str, rest: str = "") -> str:
    return (
        "-- bundle.yaml --\nbundle: x\nhooks:\n  gate:\n    pre_tool_execution:\n"
        f"      - {{{entry}}}\n{rest}{_POLICY}"
    )


def _http(more: str, rest: str = "") -> str:
    return _hook(f"handler: {{type: http, {more}}}", rest)


def _network(destination: str) -> str:
    return f"-- bundle.yaml --\nbundle: x\nnetwork:\n  allowlist:\n    - {{{destination}}}\n{_POLICY}"


_URL = "url: 'https://telemetry.example.com/events'"
_COMMAND = "handler: {type: command, command: ./gate.py}"
_SERVER = "server: {url: 'https://policy.example.com'}\n"

ENTRIES: tuple[Entry, ...] = (
    error(
        "bad_matcher",
        "A matcher that is no pattern",
        "A matcher is an RE2 pattern of tool names and goes into `hooks.json` as it is; one that RE2 refuses "
        "matches nothing, and the tool runs unchecked. `*`, an empty string and `.*` match every tool; "
        "`*_file` is a shell glob and matches none: write `.*_file`.",
        _hook(f"matcher: '*_file', {_COMMAND}"),
        _hook(f"matcher: '.*_file', {_COMMAND}"),
    ),
    warning(
        "matcher_reaches_nothing",
        "A matcher that no tool matches",
        "The agent compares the matcher with the names of its own five tools: `code_execution`, `read_file`, "
        "`write_file`, `list_files`, `delete_file`. Canonical names such as `shell.exec` are for rules.",
        _hook(f"matcher: shell.exec, {_COMMAND}"),
        _hook(f"matcher: code_execution, {_COMMAND}"),
    ),
    error(
        "hook_url_blocked",
        "A hook URL that the sandbox cannot reach",
        "HTTP hooks run inside the sandbox, behind an egress proxy that passes external HTTPS only: not "
        "`http://`, not loopback, not private addresses. The hook would fail, and a hook that fails lets the "
        "call run.",
        _http("url: 'http://localhost:8181/events'"),
        _http(_URL),
    ),
    warning(
        "hook_host_not_allowed",
        "A hook host that is not in network.allowlist",
        "With an allowlist the sandbox reaches only what is on it. The hook would fail, and a hook that "
        "fails lets the call run. `*.example.com` does not cover `example.com`.",
        _http(_URL, "network: {allowlist: [{domain: api.example.com}]}\n"),
        _http(_URL, "network: {allowlist: [{domain: telemetry.example.com}]}\n"),
    ),
    error(
        "missing_server_url",
        "The handler `server` without server.url",
        "`handler: server` calls the evaluator at `server.url`.",
        _hook("handler: server"),
        _hook("handler: server", _SERVER),
    ),
    error(
        "gate_after_call",
        "A gate after the call",
        "`handler: gate` decides whether a call runs. After the call there is nothing left to decide, and "
        "the agent takes no answer there.",
        "-- bundle.yaml --\nbundle: x\nhooks:\n  gate:\n    post_tool_execution:\n      - {handler: gate}\n"
        + _POLICY,
        _hook("handler: gate"),
    ),
    error(
        "hook_timeout_too_short",
        "A hook that gives up before there is an answer",
        "The agent takes a hook that times out for an allow. The evaluator answers every event within 5 "
        "seconds, with a deny where it could not decide, so the handler `server` needs more time than that; "
        "the handler `gate` needs 2 seconds.",
        _hook("handler: server, timeout: 5", _SERVER),
        _hook("handler: server, timeout: 10", _SERVER),
    ),
    error(
        "bad_url",
        "Not a URL",
        "A URL has a scheme and a host, such as `https://policy.example.com`.",
        "-- bundle.yaml --\nbundle: x\nserver: {url: policy.example.com}\n" + _POLICY,
        "-- bundle.yaml --\nbundle: x\n" + _SERVER + _POLICY,
    ),
    error(
        "bad_domain",
        "Not a domain",
        "An allowlist names a host (`api.example.com`), the hosts below a domain (`*.example.com`) or "
        "every host (`*`): no scheme, no port, no path.",
        _network("domain: 'https://api.example.com'"),
        _network("domain: api.example.com"),
    ),
    error(
        "secret_in_source",
        "A secret in the source",
        "This looks like a credential. Sources are reviewed, copied and shipped in the artifact. Add the "
        "header under `network.allowlist` and name the secret by environment variable; the egress proxy "
        "puts it in.",
        _network("domain: api.example.com, transform: {Authorization: Bearer abc123}"),
        _network("domain: api.example.com, transform: {Authorization: 'Bearer ${API_TOKEN}'}"),
    ),
    error(
        "hook_header_variable",
        "A variable where nothing expands it",
        "`hooks.json` is sent as it is: a `${NAME}` in a hook's header would go out literally. Variables "
        "work under `network.allowlist`, as `transform`.",
        _http(_URL + ", headers: {X-Team: '${TEAM}'}"),
        _http(_URL + ", headers: {X-Team: payments}"),
    ),
)
