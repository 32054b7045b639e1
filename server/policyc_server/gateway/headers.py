"""Which headers pass between client and upstream: all but those of the connection, and credentials."""

from __future__ import annotations

from collections.abc import Iterable

from policyc_server.gateway.vendors.vendor import Vendor
from policyc_server.settings_file.upstream import Upstream

Headers = list[tuple[bytes, bytes]]

#: What clients tell the gateway: their key, and whose run the request is a part of.
KEY = b"x-policyc-key"
AGENT = b"x-policyc-agent"
RUN = b"x-policyc-run"
SESSION = b"x-policyc-session"
#: Where clients of any API put a credential.
CREDENTIALS = frozenset((b"authorization", b"api-key", b"x-api-key", b"x-goog-api-key"))
#: Some servers take these for the method of the request.
_METHODS = frozenset((b"x-http-method-override", b"x-http-method", b"x-method-override"))
_OURS = frozenset((KEY, AGENT, RUN, SESSION))
#: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
_OF_CONNECTION = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
#: Codings that the gateway can undo.
_UNPACKED = b"gzip, deflate"


def request_headers(
    given: Iterable[tuple[bytes, bytes]],
    upstream: Upstream,
    vendor: Vendor,
    secret: str | None,
    *,
    is_inspected: bool,
) -> Headers:
    """The headers of a request upstream. ``secret`` is the operator's credential there."""
    given = list(given)
    dropped = _OURS | _OF_CONNECTION | _METHODS | _named(given) | {b"host", b"cookie"}
    if not upstream.passthrough_auth:
        dropped |= CREDENTIALS
    if is_inspected:
        dropped |= {b"accept-encoding", b"content-length", b"content-type", b"expect"}
    headers = [(name, value) for name, value in given if name not in dropped]
    if is_inspected:
        headers.append((b"accept-encoding", _UNPACKED))
        # As it was read here, and in no other charset or form.
        headers.append((b"content-type", b"application/json"))
    return headers if secret is None else [*headers, vendor.credential(secret)]


def response_headers(given: Iterable[tuple[bytes, bytes]], *, is_changed: bool) -> Headers:
    """The headers of an answer to the client; where its bytes are others now, without length and coding."""
    given = [(name.lower(), value) for name, value in given]
    dropped = _OF_CONNECTION | _named(given)
    if is_changed:
        dropped |= {b"content-length", b"content-encoding"}
    return [(name, value) for name, value in given if name not in dropped]


def text(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> str | None:
    """The first header of that name; None where it is absent or empty."""
    return next((value.decode("latin-1") for name, value in headers if name == wanted and value), None)


def _named(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """What `Connection` names."""
    return frozenset(
        token.strip().lower()
        for name, value in headers
        if name == b"connection"
        for token in value.split(b",")
    )
