"""The internet of the sandbox: every host name is one server, reached as the egress proxy would."""

from __future__ import annotations

import httpx

from policyc.hooks.runtime import Wire

#: What every host name leads to; it has to be public, or the runtime refuses it.
_ANY_HOST = "93.184.215.14"


def wire(outside: str | None) -> Wire:
    async def resolve(_host: str, _port: int) -> list[str]:
        return [_ANY_HOST]

    return Wire(resolve, lambda: _Outside(outside))


class _Outside(httpx.AsyncBaseTransport):
    """Connections to any address, led to the server at ``base`` without TLS."""

    def __init__(self, base: str | None) -> None:
        self._base = base and httpx.URL(base)
        self._inner = httpx.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not self._base:
            raise httpx.ConnectError("there is no server outside")
        request.url = request.url.copy_with(scheme="http", host=self._base.host, port=self._base.port)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()
