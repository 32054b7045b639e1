"""What each page shows, of a real server with real events; and that hostile text stays text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from policyc_server.console.console import Console
from policyc_server.openapi import document
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store

from server.auth.test_keys import bearer, keys
from server.console.visitor import Visitor, text_of
from server.in_process import InProcess
from server.process import eventually
from server.store.test_approvals import HOLD

BUDGETS = """\
default_verdict: allow
rules:
  - {priority: 1, label: cap, tool_name_glob: 'llm.*', verdict: cap_cost, cap_cost_cents: 100}
  - priority: 2
    label: often
    tool_name_glob: http.*
    verdict: deny
    rate: {max: 2, window_seconds: 2592000}
"""
LARGE = {"tool": "payment.transfer", "args": {"amount_cents": 10**7}, "agent": "payer", "run": "run-9"}
#: What a browser, a terminal or a reader's eye would act on.
HOSTILE = "<script>alert(1)</script>'\"\u202egnp.exe\u2066\u200b\x1b[31m\x07&lt;{{ 7*7 }}"
ACTING = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08\x0b-\x1f\x7f]")


def decided(client: InProcess, call: dict[str, Any]) -> dict[str, Any]:
    """The event of a call, once it is kept."""
    decision = client.post("/v1/evaluate", call).json()["decision_id"]

    def kept() -> Any:
        found = client.get("/v1/events").json()["events"]
        return next((event for event in found if event["id"] == decision), None)

    event: dict[str, Any] = eventually(kept)
    return event


def is_harmless(page: str) -> None:
    """Nothing that somebody sent is markup, and nothing of it acts or hides."""
    assert "<script>alert" not in page
    assert ACTING.search(page) is None, repr(ACTING.search(page))


@pytest.mark.parametrize("place", ["tool", "args", "key of args", "agent", "run"])
def test_hostile_text_stays_text(local: InProcess, place: str) -> None:
    call: dict[str, Any] = {"tool": "x", "agent": "a", "run": "r", "args": {"text": "y"}}
    if place == "args":
        call["args"] = {"deep": [{"text": HOSTILE}], "lines": f"{HOSTILE}\n{HOSTILE}"}
    elif place == "key of args":
        call["args"] = {HOSTILE: {"inner": 1}}
    else:
        call[place] = HOSTILE
    event = decided(local, call)
    visitor = Visitor(local)
    pages = ["", "/events", f"/events/{event['id']}", "/runs", "/policies"]
    shown = ""
    for path in pages:
        page = visitor.page(f"/console{path}")
        is_harmless(page)
        shown += text_of(page)
    assert "<script>alert(1)</script>'" in shown
    assert "\\u{202e}gnp.exe\\u{2066}\\u{200b}\\u{1b}[31m\\u{7}&lt;{{ 7*7 }}" in shown


def test_a_hostile_run_has_a_page(local: InProcess) -> None:
    decided(local, {"tool": "x", "run": HOSTILE})
    visitor = Visitor(local)
    link = re.search(r'href="(/console/runs/[^"]+)"', visitor.page("/console/runs"))
    assert link is not None
    page = visitor.page(link[1])
    is_harmless(page)
    assert "\\u{202e}gnp.exe" in text_of(page)


def test_hostile_calls_in_the_playground(local: InProcess) -> None:
    visitor = Visitor(local)
    visitor.page("/console/playground")
    for call in (
        '{"tool": "payment.x", "args": {"amount_cents": "</textarea><script>alert(1)</script>"}}',
        HOSTILE,
    ):
        answer = visitor.post("/console/playground", call=call)
        assert "<script>alert" not in answer.text
        assert answer.text.count("</textarea>") == 1


def test_the_overview_counts(local: InProcess) -> None:
    decided(local, LARGE)
    decided(local, {"tool": "other"})
    text = text_of(Visitor(local).page("/console"))
    assert "Decisions, last hour 2" in text
    assert "Stopped, last hour 1" in text
    assert "cap payment amount of agent" in text
    assert "Lockdown off" in text
    assert local.status()["policy"]["revision"][:16] in text


def test_a_lockdown_is_on_every_page(local: InProcess) -> None:
    local.post("/v1/lockdown", {"on": True, "why": "an incident <b>"})
    visitor = Visitor(local)
    for page in ("", "/events", "/status"):
        assert "Lockdown. Every call is denied, turned on by this machine : an incident <b>" in text_of(
            visitor.page(f"/console{page}")
        )


def test_events_are_filtered_and_paged(local: InProcess) -> None:
    for number in range(52):
        local.post("/v1/evaluate", {"tool": f"tool.{number}"})
    decided(local, LARGE)
    visitor = Visitor(local)
    first = visitor.page("/console/events")
    assert first.count("data-seq") == 51  # with the one in the template of the live tail
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older is not None
    second = visitor.page(older[1].replace("&amp;", "&"))
    assert "tool.2" in text_of(second)
    assert "Newest" in text_of(second)
    filtered = text_of(visitor.page("/console/events?verdict=deny&tool=payment.*&agent=&since="))
    assert "payment.transfer" in filtered
    assert "tool.9" not in filtered


def test_a_filter_that_is_not_understood_says_so(local: InProcess) -> None:
    answer = Visitor(local).get("/console/events?since=yesterday")
    assert answer.status_code == 422
    assert "since is no time like" in answer.text
    assert 'value="yesterday"' in answer.text


def test_an_event_has_its_reasons(local: InProcess) -> None:
    event = decided(local, LARGE)
    text = text_of(Visitor(local).page(f"/console/events/{event['id']}"))
    for part in ("Payments above the cap need a person.", "payment_cap", "money", "10000000", "run-9"):
        assert part in text


def test_a_run_has_a_timeline(local: InProcess) -> None:
    decided(local, LARGE)
    decided(local, {**LARGE, "args": {"amount_cents": 1}})
    page = Visitor(local).page("/console/runs/run-9")
    assert len(re.findall(r'<rect class="f-(?:deny|allow)"', page)) == 2
    assert "Deny 1" in text_of(page).title()


@pytest.mark.parametrize("path", ["/events/none", "/runs/none", "/approvals/none", "/none"])
def test_what_is_not_there_is_a_page(local: InProcess, path: str) -> None:
    answer = Visitor(local).get(f"/console{path}")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "Not found" in answer.text


def test_policies_say_what_never_fired(local: InProcess) -> None:
    decided(local, LARGE)
    rows = re.findall(r"<tr>.*?</tr>", Visitor(local).page("/console/policies"), re.DOTALL)
    shown = {text_of(row) for row in rows}
    assert "5 cap payment amount deny payment.* with 1 clause policies/agent.yaml:4 1" in shown
    assert "10 hold deploys pending approval deploy.* policies/agent.yaml:18 never fired" in shown


def test_the_api_counts_the_same(local: InProcess, client: InProcess) -> None:
    decided(local, LARGE)
    (policy,) = local.get("/v1/policies").json()["policies"]
    hits = {rule["label"]: rule["hits"]["count"] for rule in policy["rules"]}
    assert hits == {"cap payment amount": 1, "pay": 0, "hold deploys": 0, "no destructive shell": 0}
    (policy,) = client.get("/v1/policies").json()["policies"]
    assert policy["rules"][0]["hits"] is None


def test_the_playground_shows_near_misses_and_leaves_no_event(local: InProcess) -> None:
    visitor = Visitor(local)
    visitor.page("/console/playground")
    call = '{"tool": "payment.transfer", "args": {"amount_cents": 100000}}'
    text = text_of(visitor.post("/console/playground", call=call).text)
    assert "near miss cap payment amount deny" in text
    assert "$.amount_cents gt 100000 : saw 100000" in text
    assert "matched pay allow" in text
    decided(local, {"tool": "after"})
    assert [event["tool"] for event in local.get("/v1/events").json()["events"]] == ["after"]


@pytest.mark.parametrize(
    ("call", "problem"),
    [("{", "not one JSON document"), ("{}", "$.tool"), ('{"tool": 3}', "$.tool"), ("", "not one JSON")],
)
def test_the_playground_says_what_is_no_call(local: InProcess, call: str, problem: str) -> None:
    visitor = Visitor(local)
    visitor.page("/console/playground")
    answer = visitor.post("/console/playground", call=call)
    assert answer.status_code == 422
    assert problem in text_of(answer.text)


def test_an_event_is_tried_again(local: InProcess) -> None:
    event = decided(local, LARGE)
    page = Visitor(local).page(f"/console/playground?event={event['id']}")
    assert "&#34;amount_cents&#34;: 10000000" in page


def test_the_status_page_shows_the_status(local: InProcess) -> None:
    text = text_of(Visitor(local).page("/console/status"))
    assert local.status()["policy"]["digest"] in text
    eventually(lambda: "Worker 1" in text_of(Visitor(local).page("/console/status")))
    assert '"pid"' not in text_of(Visitor(local).page("/console/status"))
    assert "Decision log" in text


def test_the_console_stands_apart_from_the_api() -> None:
    routes = Console(*[MagicMock() for _ in range(6)]).routes()
    assert all(route.path.partition("/console")[0] == "" for route in routes)
    described: Any = document()["paths"]
    assert not any(path.startswith("/console") for path in described)


HELD = {"tool": "deploy.production", "args": {"service": "checkout", "note": HOSTILE}, "run": "r1"}


@pytest.fixture
def hold(guarded: InProcess, secrets: dict[str, str]) -> str:
    """The id of a hold of the agent's."""
    answer = guarded.post("/v1/enforce", HELD, headers=bearer(secrets["agent"]))
    return str(answer.json()["error"]["metadata"]["approval_id"])


def resubmit(guarded: InProcess, secrets: dict[str, str], hold: str) -> int:
    agent = bearer(secrets["agent"])
    token = guarded.get(f"/v1/approvals/{hold}", headers=agent).json()["token"]
    headers = {**agent, "x-firewall-approval": token} if token else agent
    return guarded.post("/v1/enforce", HELD, headers=headers).status_code


def test_a_reviewer_approves_once(
    guarded: InProcess, secrets: dict[str, str], rita: Visitor, hold: str
) -> None:
    assert "Waiting for a person 1" in text_of(rita.page("/console"))
    assert hold in rita.page("/console/approvals")
    page = rita.page(f"/console/approvals/{hold}")
    is_harmless(page)
    text = text_of(page)
    assert "Arguments complete" in text
    assert "hold deploys of agent" in text
    assert "policies/agent.yaml:18" in text
    answer = rita.post(f"/console/approvals/{hold}", decision="approve", comment="go on")
    assert answer.status_code == 303
    text = text_of(rita.page(answer.headers["location"]))
    assert "Decided by rita from 127.0.0.1" in text
    assert "Comment go on" in text
    assert [resubmit(guarded, secrets, hold) for _ in range(2)] == [200, 400]
    assert "consumed" in text_of(rita.page("/console/approvals"))


def test_what_a_page_does_not_show_is_no_secret(
    guarded: InProcess, secrets: dict[str, str], rita: Visitor, hold: str
) -> None:
    assert "There is more in the arguments" not in rita.page(f"/console/approvals/{hold}")
    call = {"tool": "deploy.x", "args": {"list": list(range(2000)), "last": f"here {HOSTILE}"}}
    answer = guarded.post("/v1/enforce", call, headers=bearer(secrets["agent"])).json()
    path = f"/console/approvals/{answer['error']['metadata']['approval_id']}"
    assert "There is more in the arguments" in rita.page(path)
    whole = rita.get(f"{path}/arguments")
    assert whole.json() == call["args"]
    assert whole.headers["content-type"].startswith("text/plain")
    assert whole.text.isascii()
    assert ACTING.search(whole.text.replace("\n", "")) is None
    admin = Visitor(guarded)
    admin.log_in(secrets["admin"])
    assert "here" not in admin.get(f"{path}/arguments").text


def test_a_denied_call_stays_out(
    guarded: InProcess, secrets: dict[str, str], rita: Visitor, hold: str
) -> None:
    rita.page(f"/console/approvals/{hold}")
    assert rita.post(f"/console/approvals/{hold}", decision="deny", comment="").status_code == 303
    assert resubmit(guarded, secrets, hold) == 400


def test_the_first_answer_stands(
    rita: Visitor, guarded: InProcess, secrets: dict[str, str], hold: str
) -> None:
    rita.page(f"/console/approvals/{hold}")
    denied = guarded.post(f"/v1/approvals/{hold}/deny", {}, headers=bearer(secrets["reviewer"]))
    assert denied.status_code == 200
    answer = rita.post(f"/console/approvals/{hold}", decision="approve")
    assert answer.status_code == 409
    assert "denied by rita" in text_of(answer.text)


@pytest.mark.parametrize("form", [{"decision": "maybe"}, {}, {"decision": "approve", "comment": "x" * 2001}])
def test_what_is_no_decision_decides_nothing(rita: Visitor, hold: str, form: dict[str, str]) -> None:
    rita.page(f"/console/approvals/{hold}")
    assert rita.post(f"/console/approvals/{hold}", **form).status_code == 422
    assert "Approve this call, once" in rita.page(f"/console/approvals/{hold}")


def test_an_admin_decides_nothing_and_sees_no_more_than_is_kept(
    guarded: InProcess, secrets: dict[str, str], hold: str
) -> None:
    admin = Visitor(guarded)
    admin.log_in(secrets["admin"])
    text = text_of(admin.page(f"/console/approvals/{hold}"))
    assert "Arguments masked and shortened" in text
    assert "Deciding needs a key of role reviewer" in text
    admin.page("/console/playground")
    assert admin.post(f"/console/approvals/{hold}", decision="approve").status_code == 403
    assert resubmit(guarded, secrets, hold) == 400


def test_nobody_decides_for_their_own_agent(
    guarded: InProcess, state: Path, secrets: dict[str, str], hold: str
) -> None:
    own = Visitor(guarded)
    secret = keys("create", "owner", "--role", "reviewer", "--agent", "payer", "--state", state)
    eventually(lambda: guarded.get("/v1/status", headers=bearer(secret)).status_code == 200)
    own.log_in(secret)
    own.page(f"/console/approvals/{hold}")
    answer = own.post(f"/console/approvals/{hold}", decision="approve")
    assert (answer.status_code, "whose hold this is" in answer.text) == (403, True)
    assert resubmit(guarded, secrets, hold) == 400


def test_without_keys_nobody_decides(local: InProcess, state: Path) -> None:
    store = Store(sqlite_url(state))
    waiting = store.approvals.open(HOLD, time.time_ns() // 1000, cap=1).id
    visitor = Visitor(local)
    assert "policyc keys create NAME --role reviewer" in visitor.page(f"/console/approvals/{waiting}")
    visitor.page("/console/playground")
    assert visitor.post(f"/console/approvals/{waiting}", decision="approve").status_code == 403
    found = store.approvals.get(waiting, time.time_ns() // 1000)
    assert found is not None
    assert found.state == "pending"
    store.close()


def test_the_playground_sees_budgets_and_counts_nothing(
    client_of: Callable[..., InProcess], tmp_path: Path
) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text(BUDGETS)
    client = client_of(policy, state=tmp_path / "state")
    visitor = Visitor(client)
    visitor.page("/console/playground")

    def tried(call: str) -> str:
        return text_of(visitor.post("/console/playground", call=call).text)

    search, ask = '{"tool": "http.get", "agent": "a"}', '{"tool": "llm.ask", "run": "r", "cost_cents": 60}'
    for call in (search, ask) * 2:
        text = tried(call)
        assert "Rule by rule" in text
        assert "may pass" not in text
        assert "has spent 120" not in text
    client.post("/v1/evaluate", [{"tool": "http.get", "agent": "a"}] * 2)
    client.post("/v1/evaluate", {"tool": "llm.ask", "run": "r", "cost_cents": 60})
    for _ in range(2):
        assert "call 3 of this agent within 2592000 s, 2 may pass" in tried(search)
        assert "the run has spent 120 cents, the cap is 100" in tried(ask)
    # It comes to the cap exactly: what was tried was not spent.
    assert client.verdict({"tool": "llm.ask", "run": "r", "cost_cents": 40}) == "allow"


def test_an_admin_turns_the_lockdown(guarded: InProcess, secrets: dict[str, str]) -> None:
    ada = Visitor(guarded)
    ada.log_in(secrets["admin"])
    ada.page("/console/status")
    for wrong in ({"on": "yes", "why": "an incident"}, {"on": "yes", "why": " ", "confirmed": "on"}):
        assert ada.post("/console/lockdown", **wrong).status_code == 422
        ada.page("/console/status")
    assert ada.post("/console/lockdown", csrf="0", on="yes", why="x", confirmed="on").status_code == 403
    assert "Lockdown is off" in text_of(ada.page("/console/status"))
    assert ada.post("/console/lockdown", on="yes", why="an incident", confirmed="on").status_code == 303
    stands = guarded.get("/v1/lockdown", headers=bearer(secrets["admin"])).json()
    assert (stands["on"], stands["by"], stands["why"]) == (True, "ada", "an incident")
    ada.page("/console/status")
    assert ada.post("/console/lockdown", on="no", confirmed="on").status_code == 303
    assert "Lockdown is off" in text_of(ada.page("/console/status"))


def test_a_reviewer_does_not_turn_the_lockdown(rita: Visitor) -> None:
    assert "Turning it needs a key of role admin." in text_of(rita.page("/console/status"))
    rita.page("/console/playground")
    assert rita.post("/console/lockdown", on="yes", why="x", confirmed="on").status_code == 403


def test_without_keys_nobody_turns_the_lockdown_here(local: InProcess) -> None:
    visitor = Visitor(local)
    visitor.page("/console/playground")
    assert visitor.post("/console/lockdown", on="yes", why="x", confirmed="on").status_code == 403
    assert local.get("/v1/lockdown").json()["on"] is False
