"""A browser's part of the console's contract, without a browser: cookies, forms, redirects."""

from __future__ import annotations

import html
import re
from typing import Any

import httpx

from server.in_process import InProcess

_TOKEN = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


class Visitor:
    """Keeps the cookies that an app sets, and sends the token of the form on the last page."""

    def __init__(self, client: InProcess) -> None:
        self._client = client
        self._cookies: dict[str, str] = {}
        self.token = ""

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self._answer(
            self._client.get(path, headers=self._headers(options.pop("headers", {})), **options)
        )

    def post(self, path: str, **form: str) -> httpx.Response:
        """A form, with the token that the last page had unless it says another."""
        data = {"csrf": self.token, **form}
        return self._answer(self._client.post(path, data=data, headers=self._headers({})))

    def log_in(self, secret: str, to: str = "/console") -> httpx.Response:
        self.get("/console/login")
        return self.post("/console/login", key=secret, next=to)

    def page(self, path: str) -> str:
        """The text of a page that is there."""
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        return answer.text

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        return {**more, **({"cookie": cookies} if cookies else {})}

    def _answer(self, answer: httpx.Response) -> httpx.Response:
        for header in answer.headers.get_list("set-cookie"):
            name, _, rest = header.partition("=")
            value = rest.partition(";")[0].strip('"')
            self._cookies.pop(name, None)
            if value:
                self._cookies[name] = value
        found = _TOKEN.search(answer.text)
        if found:
            self.token = found[1]
        return answer


def text_of(page: str) -> str:
    """The texts of a page, without tags, as a reader sees them."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
