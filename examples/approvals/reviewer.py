"""A reviewer at the console: with its forms, as a browser without scripts sends them, or in Chromium."""

from __future__ import annotations

import html
import json
import re
import shutil
import urllib.request
from typing import Any
from urllib.parse import urlencode

COMMENT = "release notes are fine"
_WITHIN = 30


class Forms:
    """Logs in with ``key`` and keeps the session's cookie; each form carries the token of its page."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self._send("/console/login", self._read("/console/login"), key=key)

    def approve(self, approval: str) -> str:
        """What the page shows of the call, and the yes."""
        path = f"/console/approvals/{approval}"
        page = self._read(path)
        tool = html.unescape(_found(r"<h1><code>([^<]*)</code>", page))
        arguments = self._read(f"{path}/arguments")
        self._send(path, page, decision="approve", comment=COMMENT)
        return f"{tool} {json.dumps(json.loads(arguments))}"

    def close(self) -> None:
        self._opener.close()

    def _read(self, path: str) -> str:
        return self._ask(path, None)

    def _send(self, path: str, page: str, **fields: str) -> None:
        token = _found(r'name="csrf" value="([0-9a-f]+)"', page)
        self._ask(path, urlencode({"csrf": token, **fields}).encode())

    def _ask(self, path: str, body: bytes | None) -> str:
        with self._opener.open(self._url + path, body, timeout=_WITHIN) as response:
            return str(response.read().decode())


class Chromium:
    """The same in a headless Chromium."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._driver = _driver()
        self._driver.get(f"{url}/console/login")
        self._find("#key").send_keys(key)
        self._find("button.primary").click()
        self._find("nav")

    def approve(self, approval: str) -> str:
        """What the page shows of the call, and the yes."""
        page = f"{self._url}/console/approvals/{approval}"
        self._driver.get(f"{page}/arguments")
        arguments = json.loads(self._find("body").text)
        self._driver.get(page)
        tool = self._find("h1 code").text
        self._find("#comment").send_keys(COMMENT)
        self._find("button.approve").click()
        self._find("#decided")
        return f"{tool} {json.dumps(arguments)}"

    def close(self) -> None:
        self._driver.quit()

    def _find(self, selector: str) -> Any:
        return self._driver.find_element("css selector", selector)


def _driver() -> Any:
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    try:
        from selenium import webdriver
    except ImportError:
        programs = []
    if not all(programs) or not programs:
        raise SystemExit("--browser needs selenium, chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = str(programs[0])
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(programs[1])))
    driver.implicitly_wait(_WITHIN)
    return driver


def _found(pattern: str, page: str) -> str:
    found = re.search(pattern, page)
    if found is None:
        raise SystemExit(f"the page has no {pattern}")
    return found[1]
