"""Requests to one server over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx

from policyc_server.settings_file.mcp_server import McpServer


class UpstreamFault(ConnectionError):
    """The server cannot be reached, or does not begin to answer in time."""


class Upstream:
    """``settings`` are the operator's; the connections last until ``close``."""

    def __init__(self, settings: McpServer) -> None:
        self.settings = settings
        self._headers = settings.sent_headers()
        # Streams are silent for as long as there is nothing to say.
        timeout = httpx.Timeout(None, connect=settings.connect_timeout)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=32)
        self._client = httpx.AsyncClient(timeout=timeout, limits=limits, follow_redirects=False)

    @asynccontextmanager
    async def asked(
        self, method: str, headers: Mapping[str, str], body: bytes | None
    ) -> AsyncIterator[httpx.Response]:
        """The answer, of which nothing but the headers is read. Raises UpstreamFault."""
        everything = {**headers, **self._headers, "accept-encoding": "identity"}
        request = self._client.build_request(method, self.settings.url, headers=everything, content=body)
        try:
            async with asyncio.timeout(self.settings.answer_timeout):
                response = await self._client.send(request, stream=True)
        except TimeoutError:
            raise UpstreamFault(f"does not answer within {self.settings.answer_timeout:g} s") from None
        except httpx.HTTPError as error:
            raise UpstreamFault(f"cannot be asked ({type(error).__name__})") from None
        try:
            yield response
        finally:
            await response.aclose()

    async def close(self) -> None:
        await self._client.aclose()
