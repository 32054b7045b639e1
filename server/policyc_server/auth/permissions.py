"""What each role may ask for: one table, and what is not in it is for admins."""

from __future__ import annotations

import re

from policyc_server.auth.identity import ADMIN, AGENT, REVIEWER

_EVERYBODY = frozenset((AGENT, REVIEWER, ADMIN))
_CALLERS = frozenset((AGENT, ADMIN))
_READERS = frozenset((REVIEWER, ADMIN))

#: Answers about the process alone, so that probes need no secret; and what brings its own proof.
OPEN = frozenset({"/health"})
_OPEN_PATH = re.compile(r"/v1/approvals/[^/]+/callback")
#: Has a door of its own: browsers send no bearer (auth/sessions.py).
_CONSOLE = "/console"

#: Method (None is any), start of the path, roles; the first that fits.
_TABLE = (
    (None, "/gateway/", _CALLERS),
    ("POST", "/v1/evaluate", _CALLERS),
    ("POST", "/v1/enforce", _CALLERS),
    ("POST", "/v1/hooks/", _CALLERS),
    ("POST", "/mcp/", _CALLERS),
    ("GET", "/mcp/", _CALLERS),
    ("DELETE", "/mcp/", _CALLERS),
    ("GET", "/v1/approvals/", _EVERYBODY),
    ("GET", "/v1/approvals", _READERS),
    ("POST", "/v1/approvals/", frozenset((REVIEWER,))),
    ("GET", "/v1/events", _READERS),
    ("GET", "/v1/runs", _READERS),
    ("GET", "/v1/shadow", _READERS),
    ("GET", "/v1/policies", _READERS),
    ("GET", "/v1/status", _READERS),
    ("GET", "/openapi.json", _EVERYBODY),
)
_REST = frozenset((ADMIN,))


def is_open(path: str) -> bool:
    """Whether a request for ``path`` needs no key."""
    if path == _CONSOLE or path.startswith(_CONSOLE + "/"):
        return True
    return path in OPEN or _OPEN_PATH.fullmatch(path) is not None


def roles_for(method: str, path: str) -> frozenset[str]:
    """The roles that may ask for ``path``."""
    asked = "GET" if method == "HEAD" else method
    for allowed, start, roles in _TABLE:
        if allowed in (asked, None) and path.startswith(start):
            return roles
    return _REST
