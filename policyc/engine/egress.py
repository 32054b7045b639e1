"""Rules on destinations: ``egress: {allow: [...], deny: [...]}``.

The verdict gives the lists their roles: of a rule that lets calls pass, ``allow`` is the scope and ``deny``
the exceptions; of a rule that stops them, the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable

from policyc.engine import hosts
from policyc.engine.host_names import read_host
from policyc.engine.model import PERMITTING, Call

_KEYS = ("allow", "deny")
_DESTINATION_KEYS = ("destination", "url", "host", "ip")


def check(config: object, verdict: str) -> str | None:
    """What is wrong with an authored ``egress`` of a rule with ``verdict``, or None."""
    if not isinstance(config, dict):
        return "needs an object with allow, deny or both"
    for key, entries in config.items():
        if key not in _KEYS:
            return f"{key!r} is not a key here; there are allow and deny"
        if not isinstance(entries, list):
            return f"{key} needs a list of hosts, addresses and CIDR blocks"
        problem = hosts.check(entries)
        if problem is not None:
            return f"{key}: {problem}"
    scope = _roles(verdict)[0]
    if scope not in config:
        return f'with verdict {verdict} the destinations are those of {scope}; write {scope}: ["*"] for all'
    return None


def destination_of(call: Call) -> str | None:
    """Where a call at stage ``egress`` says it goes: ``destination``, ``url``, ``host`` or ``ip`` of its
    arguments; None where that cannot be read."""
    args = call.args if isinstance(call.args, dict) else {}
    found = next((args[key] for key in _DESTINATION_KEYS if key in args), None)
    return found if isinstance(found, str) and read_host(found) is not None else None


class Egress:
    """A checked ``egress`` of a rule, made ready for many destinations."""

    __slots__ = ("_exceptions", "_passing", "_scope")

    def __init__(self, verdict: str, config: dict[str, list[str]]) -> None:
        scope, exceptions = _roles(verdict)
        self._passing = verdict in PERMITTING
        self._scope = hosts.HostSet(config.get(scope, ()))
        self._exceptions = hosts.HostSet(config.get(exceptions, ()))

    def matches(self, destination: str | None, resolved: Iterable[str] = ()) -> bool | None:
        """Whether the rule covers the destination, a URL, host or address; None where its addresses would
        have to be known and ``resolved`` does not give them.

        Closed: without a readable destination a rule that stops calls matches, one that lets them pass does
        not.
        """
        host = read_host(destination) if isinstance(destination, str) else None
        if host is None:
            return not self._passing
        host = hosts.with_resolved(host, resolved)
        # To pass, every address has to be allowed; to be stopped, one is enough.
        scope = self._scope.covers(host, every=self._passing, unresolved=None)
        if scope is False:
            return False
        # A name that the scope spells out is taken at its word until an address says otherwise.
        unresolved = False if self._scope.names(host) else None
        exception = self._exceptions.covers(host, every=not self._passing, unresolved=unresolved)
        if exception is True:
            return False
        return None if scope is None or exception is None else True


def _roles(verdict: str) -> tuple[str, str]:
    return ("allow", "deny") if verdict in PERMITTING else ("deny", "allow")
