"""What requests below `/gateway/` need before they are handled: whose key it is, how errors are worded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starlette.types import Scope

from policyc_server.answers import encode
from policyc_server.auth.keyring import Keyring
from policyc_server.errors import ApiError
from policyc_server.gateway.headers import CREDENTIALS, KEY, text
from policyc_server.gateway.paths import parameters, upstream_name, values
from policyc_server.gateway.vendors.kinds import KINDS
from policyc_server.gateway.vendors.vendor import Vendor
from policyc_server.settings_file.upstream import Upstream


class Entrance:
    """Knows upstreams by the paths of requests."""

    def __init__(self, upstreams: Sequence[Upstream], keyring: Keyring) -> None:
        self._upstreams = {upstream.name: upstream for upstream in upstreams}
        self._keyring = keyring

    def upstream(self, path: str) -> tuple[Upstream, Vendor] | None:
        """The upstream that a path names."""
        name = upstream_name(path)
        upstream = None if name is None else self._upstreams.get(name)
        return None if upstream is None else (upstream, KINDS[upstream.kind])

    def secret(self, scope: Scope) -> str | None:
        """The client's key for this server: in `X-Policyc-Key`, or where its library puts the API's key.

        Raises ApiError 401 where that would be passed through: a key of this server is not for others."""
        found = self.upstream(scope["path"])
        own = text(scope["headers"], KEY)
        if found is None:
            return own
        upstream, vendor = found
        if not upstream.passthrough_auth:
            query = parameters(scope.get("query_string", b""))
            return own or vendor.client_secret(dict(scope["headers"]), query)
        if any(self._keyring.identity(secret) is not None for secret in _secrets(scope)):
            raise ApiError(
                401,
                "unauthorized",
                "the key of this server would be passed on to the LLM API: send it as X-Policyc-Key",
            )
        return own

    def error(self, path: str, error: ApiError) -> bytes | None:
        """The body of an error in the words of the upstream's clients; None for other paths."""
        found = self.upstream(path)
        if found is None:
            return None
        _, vendor = found
        return encode(vendor.error(error.status, error.code, error.message, error.metadata))


def _secrets(scope: Scope) -> Iterator[str]:
    """Whatever in a request may be a credential for some API."""
    for name, value in scope["headers"]:
        if name in CREDENTIALS:
            found = value.decode("latin-1")
            yield from (found, found.rpartition(" ")[2])
    yield from values(scope.get("query_string", b""))
