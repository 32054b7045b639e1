"""Who comes in, what forms must carry, and what every answer says to the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from policyc_server.auth.attempts import MOST

from server.auth.test_keys import bearer, keys
from server.console.visitor import Visitor
from server.in_process import InProcess
from server.process import eventually

PAGES = ("", "/approvals", "/events", "/runs", "/policies", "/playground", "/status")


@pytest.mark.parametrize("page", [*PAGES, "/events/stream", "/nowhere"])
def test_nobody_reads_without_a_login(guarded: InProcess, page: str) -> None:
    answer = guarded.get(f"/console{page}")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/console/login?next=")


def test_a_bearer_is_no_login_and_a_cookie_no_key(
    guarded: InProcess, rita: Visitor, secrets: dict[str, str]
) -> None:
    assert guarded.get("/console", headers=bearer(secrets["reviewer"])).status_code == 303
    assert rita.get("/v1/events").status_code == 401


@pytest.mark.parametrize("role", ["reviewer", "admin"])
def test_a_person_logs_in_and_out(guarded: InProcess, secrets: dict[str, str], role: str) -> None:
    visitor = Visitor(guarded)
    answer = visitor.log_in(secrets[role], to="/console/events?verdict=deny")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/events?verdict=deny")
    for page in PAGES:
        visitor.page(f"/console{page}")
    assert visitor.post("/console/logout").status_code == 303
    assert visitor.get("/console").status_code == 303


def test_logging_out_ends_the_session_itself(guarded: InProcess, rita: Visitor) -> None:
    stolen = Visitor(guarded)
    stolen._cookies = dict(rita._cookies)
    stolen.page("/console")
    rita.page("/console")
    rita.post("/console/logout")
    assert stolen.get("/console").status_code == 303


@pytest.mark.parametrize("secret", ["", "pc_wrong", "agent"])
def test_others_do_not_log_in(guarded: InProcess, secrets: dict[str, str], secret: str) -> None:
    visitor = Visitor(guarded)
    answer = visitor.log_in(secrets.get(secret, secret))
    assert answer.status_code == 403
    assert "No reviewer&#39;s or admin&#39;s key." in answer.text
    assert visitor.get("/console").status_code == 303


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(
    guarded: InProcess, secrets: dict[str, str]
) -> None:
    cookies = Visitor(guarded).log_in(secrets["reviewer"]).headers.get_list("set-cookie")
    (session,) = (cookie for cookie in cookies if cookie.startswith("policyc_session="))
    said = {part.strip().lower() for part in session.split(";")}
    assert {"httponly", "samesite=strict", "path=/console"} <= said
    assert "secure" not in said
    cookies = Visitor(guarded).get("/console/login", extensions={}).headers.get_list("set-cookie")
    assert all("HttpOnly" in cookie and "SameSite=strict" in cookie for cookie in cookies)


def test_a_session_ends_with_its_key(rita: Visitor, state: Path) -> None:
    rita.page("/console")
    keys("revoke", "rita", "--state", state)
    eventually(lambda: rita.get("/console").status_code == 303)


def test_a_session_does_not_outlive_the_secret_that_opened_it(
    client_of: Callable[..., InProcess], artifact: Path, state: Path, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    secret = keys("create", "ada", "--role", "admin", "--file", file)
    visitor = Visitor(client_of(artifact, state=state, keys_file=file))
    assert visitor.log_in(secret).status_code == 303
    visitor.page("/console")
    file.unlink()
    keys("create", "ada", "--role", "admin", "--file", file)  # the old one leaked
    eventually(lambda: visitor.get("/console").status_code == 303)


@pytest.mark.parametrize("token", ["", "0" * 64, "é"])
def test_a_form_without_its_token_does_nothing(rita: Visitor, token: str) -> None:
    rita.page("/console/playground")
    answer = rita.post("/console/playground", call='{"tool": "x"}', csrf=token)
    assert (answer.status_code, "form_expired" in answer.text) == (403, True)
    rita.post("/console/logout", csrf=token)
    rita.page("/console")


def test_one_visitors_token_is_not_anothers(
    guarded: InProcess, rita: Visitor, secrets: dict[str, str]
) -> None:
    other = Visitor(guarded)
    other.log_in(secrets["admin"])
    other.page("/console/playground")
    assert rita.post("/console/playground", call='{"tool": "x"}', csrf=other.token).status_code == 403


def test_nobody_is_logged_in_by_another_site(guarded: InProcess, secrets: dict[str, str]) -> None:
    attacker, victim = Visitor(guarded), Visitor(guarded)
    attacker.get("/console/login")
    answer = victim.post("/console/login", key=secrets["reviewer"], csrf=attacker.token)
    assert answer.status_code == 403
    assert "policyc_session" not in str(answer.headers)


def test_guessing_is_slowed(guarded: InProcess, secrets: dict[str, str]) -> None:
    visitor = Visitor(guarded)
    assert [visitor.log_in("pc_wrong").status_code for _ in range(MOST)] == [403] * MOST
    answer = visitor.log_in(secrets["reviewer"])
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 61


@pytest.mark.parametrize(
    "to", ["https://evil.example", "//evil.example", "/consolex", "/v1/status", "/console\\..\\x", "", "/"]
)
def test_a_login_leads_to_the_console_alone(guarded: InProcess, secrets: dict[str, str], to: str) -> None:
    assert Visitor(guarded).log_in(secrets["admin"], to=to).headers["location"] == "/console"


def test_a_link_from_another_site_asks_to_go_on(guarded: InProcess) -> None:
    answer = guarded.get("/console/approvals/x", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200
    assert 'href="/console/approvals/x"' in answer.text


@pytest.mark.parametrize(
    "path", ["", "/login", "/nowhere", "/static/console.css", "/static/nothing", "/events/x"]
)
def test_every_answer_keeps_browsers_strict(local: InProcess, path: str) -> None:
    headers = local.get(f"/console{path}").headers
    if path == "/static/nothing":
        return
    policy = headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == ("no-store" if "static" not in path else headers["cache-control"])


def test_without_keys_one_reads_and_tries(local: InProcess) -> None:
    visitor = Visitor(local)
    for page in PAGES:
        visitor.page(f"/console{page}")
    assert "No keys: read only" in visitor.page("/console")
    visitor.page("/console/playground")
    assert visitor.post("/console/playground", call='{"tool": "x"}').status_code == 200


def test_there_is_no_console_without_a_store(client: InProcess) -> None:
    assert client.get("/console").status_code == 404


def test_a_form_is_bounded(rita: Visitor) -> None:
    rita.page("/console/playground")
    assert rita.post("/console/playground", call="x" * 1_100_000).status_code == 413


@pytest.fixture
def behind_proxy(
    client_of: Callable[..., InProcess], artifact: Path, state: Path, secrets: dict[str, str]
) -> Callable[..., InProcess]:
    def make(proxy: str) -> InProcess:
        return client_of(
            artifact,
            state=state,
            console_header="X-Forwarded-User",
            console_proxies=(proxy,),
            console_users=(("alice@example.com", "reviewer"),),
        )

    assert secrets
    return make


def test_a_trusted_proxy_says_who_it_is(behind_proxy: Callable[..., InProcess]) -> None:
    visitor = Visitor(behind_proxy("127.0.0.0/8"))
    alice = {"x-forwarded-user": "alice@example.com"}
    assert "alice@example.com" in visitor.get("/console", headers=alice).text
    assert "Log out" not in visitor.get("/console", headers=alice).text
    for other in ({}, {"x-forwarded-user": "mallory"}, {"x-forwarded-user": ""}):
        assert visitor.get("/console", headers=other).status_code == 303


def test_others_cannot_say_who_they_are(behind_proxy: Callable[..., InProcess]) -> None:
    visitor = Visitor(behind_proxy("10.0.0.1"))
    assert visitor.get("/console", headers={"x-forwarded-user": "alice@example.com"}).status_code == 303


def test_a_reviewer_behind_a_proxy_decides(
    client_of: Callable[..., InProcess], artifact: Path, state: Path
) -> None:
    agent = keys("create", "bot", "--role", "agent", "--agent", "payer", "--state", state)
    client = client_of(
        artifact,
        state=state,
        console_header="X-User",
        console_proxies=("127.0.0.1",),
        console_users=(("alice@example.com", "reviewer"),),
    )
    held = client.post("/v1/enforce", {"tool": "deploy.x"}, headers=bearer(agent)).json()["error"]
    path = f"/console/approvals/{held['metadata']['approval_id']}"
    alice = {"x-user": "alice@example.com"}
    visitor = Visitor(client)
    visitor.get(path, headers=alice)
    assert visitor.post(path, decision="approve").status_code == 303  # to the login, undecided
    decision = {"decision": "approve", "csrf": visitor.token}
    assert client.request("POST", path, data=decision, headers=alice).headers["location"] == path
    assert "alice@example.com" in visitor.get(path, headers=alice).text.partition("Decided by")[2]


@pytest.mark.parametrize(("proxies", "is_secure"), [(("127.0.0.1",), True), ((), False)])
def test_cookies_are_secure_where_a_trusted_proxy_says_https(
    client_of: Callable[..., InProcess],
    artifact: Path,
    state: Path,
    proxies: tuple[str, ...],
    is_secure: bool,
) -> None:
    client = client_of(artifact, state=state, console_proxies=proxies)
    answer = client.get("/console/login", headers={"x-forwarded-proto": "https"})
    assert ("Secure" in answer.headers["set-cookie"]) is is_secure


def test_without_keys_nobody_behind_a_proxy_decides_either(
    client_of: Callable[..., InProcess], artifact: Path, state: Path
) -> None:
    client = client_of(
        artifact,
        state=state,
        console_header="X-User",
        console_proxies=("127.0.0.1",),
        console_users=(("alice@example.com", "reviewer"),),
    )
    blocked = client.post("/v1/enforce", {"tool": "deploy.x"}).json()["error"]
    assert blocked["metadata"]["reason_code"] == "approval_unavailable"
