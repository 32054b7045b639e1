"""The console in a real browser: what people do, what everybody can use, and what the browser objects to."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from server.approvals.material import reason
from server.auth.test_keys import bearer, keys
from server.console.browser import Browser, fetch_axe, start
from server.process import ServerProcess, eventually

pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=document.title='hit'>\u202e\u0000"
HELD = {"tool": "deploy.production", "args": {"service": HOSTILE, "list": [1, {"a": None}]}, "run": "r1"}
LARGE = {"tool": "payment.transfer", "args": {"amount_cents": 10**7, "to": "word" * 60}, "run": "r1"}


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fetch_axe(tmp_path_factory.mktemp("axe"))


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    opened = start(tmp_path / "profile")
    yield opened
    opened.close()


@pytest.fixture
def server(
    serve: Callable[..., ServerProcess], artifact: Path, state: Path, secrets: dict[str, str]
) -> ServerProcess:
    assert secrets
    return serve(artifact, "--state", state).ready()


def ask(server: ServerProcess, call: object, secret: str, token: str | None = None) -> httpx.Response:
    approval = {} if token is None else {"x-firewall-approval": token}
    return server.client.post("/v1/enforce", json=call, headers={**bearer(secret), **approval})


def log_in(browser: Browser, server: ServerProcess, secret: str) -> None:
    browser.open(f"{server.url}/console")
    browser.find("#key").send_keys(secret, Keys.ENTER)
    browser.sees("Decisions per minute")


def test_a_hold_is_approved_and_the_call_passes_once(
    browser: Browser, server: ServerProcess, secrets: dict[str, str]
) -> None:
    log_in(browser, server, secrets["reviewer"])
    browser.open(f"{server.url}/console/events")
    browser.find("#tail").click()
    browser.sees("Live")
    hold = ask(server, HELD, secrets["agent"]).json()["error"]["metadata"]["approval_id"]
    browser.sees("Live, 1 new")
    live = browser.find("tr[data-seq]").text
    assert "<img src=x onerror=document.title='hit'>\\u{202e}\\u0000" in live
    browser.open(f"{server.url}/console/events")
    assert browser.find("tr[data-seq]").text == live

    # By keyboard alone: the first hold has the focus.
    browser.open(f"{server.url}/console/approvals")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    browser.sees("Approve this call, once")
    browser.find("#comment").send_keys("looks fine: a d j k")
    part = browser.find("[data-keys=decide]")
    browser.driver.execute_script("arguments[0].focus()", part)
    part.send_keys("a")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    browser.sees("Decided by")
    browser.sees("looks fine: a d j k")

    polled = server.client.get(f"/v1/approvals/{hold}", headers=bearer(secrets["agent"])).json()
    again = [ask(server, HELD, secrets["agent"], polled["token"]).status_code for _ in range(2)]
    assert again == [200, 400]
    browser.listen()
    assert browser.complaints == []
    assert "hit" not in browser.driver.title


def test_a_tail_goes_on_after_a_pause(
    browser: Browser, server: ServerProcess, secrets: dict[str, str]
) -> None:
    log_in(browser, server, secrets["admin"])
    browser.open(f"{server.url}/console/events?verdict=deny")
    tail = browser.find("#tail")
    tail.click()
    ask(server, LARGE, secrets["agent"])
    browser.sees("Live, 1 new")
    tail.click()
    browser.sees("Paused")
    ask(server, LARGE, secrets["agent"])
    ask(server, {"tool": "other"}, secrets["agent"])
    tail.click()
    browser.sees("Live, 2 new")
    assert "other" not in browser.find("#rows").text


def test_a_tail_ends_with_the_session(
    browser: Browser, server: ServerProcess, secrets: dict[str, str], state: Path
) -> None:
    log_in(browser, server, secrets["admin"])
    browser.open(f"{server.url}/console/events")
    browser.find("#tail").click()
    browser.sees("Live")
    keys("revoke", "ada", "--state", state)
    browser.sees("Ended: load the page again")


def test_every_page_is_fit_for_everybody(
    browser: Browser, server: ServerProcess, secrets: dict[str, str], axe: str
) -> None:
    hold = ask(server, HELD, secrets["agent"]).json()["error"]["metadata"]["approval_id"]
    ask(server, {**HELD, "args": {"service": "y" * 300}}, secrets["agent"])
    ask(server, LARGE, secrets["agent"])
    reading = bearer(secrets["reviewer"])
    event = eventually(lambda: server.client.get("/v1/events", headers=reading).json()["events"])[0]["id"]
    browser.open(f"{server.url}/console/login")
    assert browser.violations(axe) == []
    browser.driver.execute_script("document.querySelector('label').remove()")
    assert [rule for _, rule, _ in browser.violations(axe)] == ["label"]
    pages = [
        *("", "/approvals", f"/approvals/{hold}", "/events", f"/events/{event}", "/runs", "/runs/r1"),
        *("/policies", "/playground", "/status", "/nowhere"),
    ]
    found = {}
    for role, paths in (("reviewer", pages), ("admin", ["/status"])):
        browser.driver.delete_all_cookies()
        log_in(browser, server, secrets[role])
        for path, (width, scheme) in itertools.product(paths, ((1280, "light"), (375, "dark"))):
            browser.resize(width, scheme)
            browser.open(f"{server.url}/console{path}")
            if path == "/playground":
                browser.find("main button.primary").click()
                browser.sees("Rule by rule")
            found[role, path, width] = (browser.violations(axe), browser.overflow())
    assert {page: bad for page, bad in found.items() if bad != ([], 0)} == {}
    # The page that is not there is one of the pages.
    assert [it for it in browser.complaints if "404" not in it] == []


def test_an_admin_turns_the_lockdown(
    browser: Browser, server: ServerProcess, secrets: dict[str, str]
) -> None:
    log_in(browser, server, secrets["admin"])
    browser.open(f"{server.url}/console/status")
    browser.find("#why").send_keys("an incident")
    button = browser.find("form[action='/console/lockdown'] button")
    button.click()
    # The box is not ticked: the browser does not send the form.
    assert ask(server, {"tool": "other"}, secrets["agent"]).status_code == 200
    browser.find("input[name=confirmed]").click()
    button.click()
    browser.sees("Lockdown is on")
    browser.sees("an incident")
    assert reason(ask(server, {"tool": "other"}, secrets["agent"])) == "lockdown"
    browser.find("input[name=confirmed]").click()
    browser.find("form[action='/console/lockdown'] button").click()
    browser.sees("Lockdown is off")
    assert ask(server, {"tool": "other"}, secrets["agent"]).status_code == 200
    browser.listen()
    assert browser.complaints == []


def test_it_reads_without_scripts(browser: Browser, server: ServerProcess, secrets: dict[str, str]) -> None:
    hold = ask(server, HELD, secrets["agent"]).json()["error"]["metadata"]["approval_id"]
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    log_in(browser, server, secrets["reviewer"])
    browser.open(f"{server.url}/console/approvals/{hold}")
    browser.sees("deploy.production")
    browser.find("button[value=deny]").click()
    browser.sees("Decided by")
    browser.open(f"{server.url}/console/events")
    browser.sees("deploy.production")
    assert not browser.driver.find_element(By.ID, "tail").is_displayed()
