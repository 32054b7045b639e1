"""A real Chromium, and what it says about a page: its errors, its width, and axe-core's verdict."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

#: https://github.com/dequelabs/axe-core (MPL-2.0): fetched for the tests, never shipped.
AXE = "axe-core@4.14.1"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
_WITHIN = 20.0
_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(
    (found) => done(found.violations.map((it) => [it.impact, it.id, it.nodes.map((node) => node.html)])),
    (error) => done([["serious", String(error), []]]),
);
"""


class Browser:
    """One window. Everything the browser complains about is kept in ``complaints``."""

    def __init__(self, folder: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        for flag in (*_FLAGS, f"--user-data-dir={folder}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})  # type: ignore[no-untyped-call]
        service = webdriver.ChromeService(str(shutil.which("chromedriver")))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.complaints: list[str] = []

    def open(self, url: str) -> None:
        self.driver.get(url)
        self.listen()

    def listen(self) -> None:
        """Collects what the console of the browser says; hints of its own do not count."""
        logged: list[dict[str, str]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        self.complaints += [entry["message"] for entry in logged if entry["level"] in ("SEVERE", "WARNING")]

    def find(self, selector: str) -> WebElement:
        """The element, once it is there."""
        wait = WebDriverWait(self.driver, _WITHIN)
        return wait.until(lambda driver: driver.find_element(By.CSS_SELECTOR, selector))

    def sees(self, text: str) -> None:
        """Fails where the page does not come to show ``text``."""
        # The body may be that of a page which is just being left.
        wait = WebDriverWait(self.driver, _WITHIN, ignored_exceptions=[StaleElementReferenceException])
        wait.until(lambda driver: text in driver.find_element(By.TAG_NAME, "body").text, f"no {text!r}")

    def resize(self, width: int, scheme: str) -> None:
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.driver.execute_script(wide))

    def violations(self, axe: str) -> list[Any]:
        """What axe-core finds serious or critical."""
        # Not as a script of the page: that is what its policy forbids.
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
        found: list[Any] = self.driver.execute_async_script(_AXE)
        return [violation for violation in found if violation[0] in ("serious", "critical")]

    def close(self) -> None:
        self.driver.quit()


def start(folder: Path) -> Browser:
    """A browser with a profile of its own; skips where there is none."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    return Browser(folder)


def fetch_axe(folder: Path) -> str:
    """The script of axe-core, from the npm registry; skips where there is no npm."""
    if shutil.which("npm") is None:
        pytest.skip("npm, which fetches axe-core, is not installed")
    subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, check=True, capture_output=True)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        script = packed.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()
