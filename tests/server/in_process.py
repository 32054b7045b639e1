"""An app in this process with its lifespan, behind a synchronous client."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx
from policyc_server.app import App

T = TypeVar("T")
BASE_URL = "http://127.0.0.1:8460"


class InProcess:
    """Requests to an app on a loop of its own. httpx collects bodies, so streaming needs a real server."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False),
            base_url=BASE_URL,
            # Who wants cookies sends them.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        )
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._lifespan = self._run(self._start())

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._run(self._client.request(method, path, **options))

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, document: object = None, **options: Any) -> httpx.Response:
        if document is not None:
            options["json"] = document
        return self.request("POST", path, **options)

    def status(self) -> dict[str, Any]:
        document: dict[str, Any] = self.get("/v1/status").json()
        return document

    def verdict(self, call: object) -> str:
        return str(self.post("/v1/evaluate", call).json()["verdict"])

    def close(self) -> None:
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    async def _start(self) -> asyncio.Task[None]:
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
        task = asyncio.create_task(self.app(scope, self._inbox.get, self._outbox.put))
        await self._inbox.put({"type": "lifespan.startup"})
        assert (await self._outbox.get())["type"] == "lifespan.startup.complete"
        return task

    async def _stop(self) -> None:
        await self._client.aclose()
        await self._inbox.put({"type": "lifespan.shutdown"})
        await self._lifespan
