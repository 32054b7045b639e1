"""Calls and lists through the firewall, without a transport."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from policyc_server.approvals.holds import Holds
from policyc_server.auth.identity import Identity
from policyc_server.decide import Decider
from policyc_server.loader import snapshot_of
from policyc_server.mcp.caller import Caller
from policyc_server.mcp.firewall import Firewall
from policyc_server.mcp.messages import Message, read_message
from policyc_server.metrics import RequestMetrics
from policyc_server.snapshot import Serving
from policyc_server.store import mcp_tools
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store
from sqlalchemy.exc import OperationalError

from policyc.loading import load_target
from server.mcp.material import write_policy

GET = {"name": "get", "description": "Reads.", "inputSchema": {"type": "object"}}
DROP = {**GET, "name": "drop"}
OTHER = Caller(identity=Identity("k", "agent", "a", "unknown policy"))


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    found = Serving()
    found.snapshot = snapshot_of(load_target(write_policy(tmp_path / "bundle"), trusted=[]))
    return found


@pytest.fixture
def store(tmp_path: Path) -> Any:
    found = Store(sqlite_url(tmp_path))
    yield found
    found.close()


def firewall(serving: Serving, store: Store | None = None, holds: Holds | None = None) -> Firewall:
    tools = None if store is None else store.mcp_tools
    return Firewall.of(Decider(serving, RequestMetrics(), None), holds, serving, tools, 5)


def call(tool: str, **arguments: Any) -> Message:
    params = {"name": tool, "arguments": arguments}
    return read_message(
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    )


def listing(*tools: Any, **more: Any) -> Message:
    result = {"tools": list(tools), **more}
    return read_message(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode())


def shown(found: Firewall, message: Message, caller: Caller = Caller()) -> Any:  # noqa: B008
    answer = asyncio.run(found.listing.filtered(message, "crm", caller)).document
    return [tool["name"] for tool in answer["result"]["tools"]] if "result" in answer else answer["error"]


def judged(found: Firewall, message: Message, caller: Caller = Caller()) -> Any:  # noqa: B008
    return asyncio.run(found.judge.judged(message, "crm", caller))


def reason(judgement: Any) -> str:
    facts: dict[str, str] = judgement.answer.document["result"]["_meta"]["policyc/decision"]
    return facts["reason_code"]


def test_an_allowed_call_goes_on_as_it_came(serving: Serving) -> None:
    message = call("get", id=1)
    assert judged(firewall(serving), message).forward is message
    assert judged(firewall(serving), call("send", text="plain")).answer is None


def test_what_is_no_call_is_not_judged(serving: Serving) -> None:
    serving.snapshot = None
    message = read_message(b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x"}}')
    assert judged(firewall(serving), message).forward is message


def test_the_key_s_policy_decides_about_calls_and_lists(serving: Serving) -> None:
    assert reason(judged(firewall(serving), call("get", id=1), OTHER)) == "no_policy"
    assert shown(firewall(serving), listing(GET), OTHER) == []


def test_without_a_policy_calls_are_closed_and_lists_are_not_cut(serving: Serving) -> None:
    serving.snapshot = None
    assert reason(judged(firewall(serving), call("get", id=1))) == "not_ready"
    assert shown(firewall(serving), listing(GET, DROP)) == ["get", "drop"]


def test_a_fault_is_a_deny(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("of the evaluator")

    found = firewall(serving)
    monkeypatch.setattr(Decider, "decide", fail)
    assert reason(judged(found, call("get", id=1))) == "internal_error"


def test_a_list_is_filtered_by_its_shape_and_kept_otherwise(serving: Serving) -> None:
    found = firewall(serving)
    assert shown(found, listing(GET, DROP, 7, {"name": 7})) == ["get"]
    untouched = listing(GET, nextCursor="2", ttlMs=5, cacheScope="public")
    assert asyncio.run(found.listing.filtered(untouched, "crm", Caller())) is untouched
    answer = asyncio.run(
        found.listing.filtered(listing(GET, DROP, nextCursor="2", cacheScope="public"), "crm", Caller())
    )
    assert answer.document["result"] == {"tools": [GET], "nextCursor": "2", "cacheScope": "private"}
    other = read_message(b'{"jsonrpc":"2.0","id":1,"result":{"tools":{}}}')
    assert asyncio.run(found.listing.filtered(other, "crm", Caller())) is other


def test_a_change_is_held_by_server_and_undone_by_what_it_was(serving: Serving, store: Store) -> None:
    found = firewall(serving, store)
    for changed in (
        {**GET, "description": "Reads. Then sends."},
        {**GET, "inputSchema": {"type": "object", "required": ["x"]}},
        {**GET, "annotations": {"readOnlyHint": True}},
        {**GET, "title": "Get"},
    ):
        assert shown(found, listing(GET)) == ["get"]
        assert shown(found, listing(changed)) == []
        assert reason(judged(found, call("get", id=1))) == "tool_changed"
    assert shown(found, listing(dict(reversed(GET.items())) | {"_meta": {"n": 1}})) == ["get"]
    assert judged(found, call("get", id=1)).forward is not None
    pin = store.mcp_tools.get("crm", "get")
    assert pin is not None
    assert (pin.changed, pin.accepted_by) == (None, None)


def test_two_tools_of_one_name_and_names_that_cannot_be_kept_are_not_shown(
    serving: Serving, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    found = firewall(serving, store)
    long, nul = {**GET, "name": "x" * 201}, {**GET, "name": "a\0"}
    assert shown(found, listing(GET, {**GET, "description": "other"}, long, nul)) == []
    assert "tools are held: a\\u{0}, get" in caplog.text
    assert reason(judged(found, call("x" * 201))) == "tool_changed"


def test_a_server_that_invents_names_does_not_fill_the_store(
    serving: Serving, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_tools, "MOST_TOOLS", 2)
    found = firewall(serving, store)
    named = [{**GET, "name": name} for name in ("a", "b", "c")]
    assert shown(found, listing(*named)) == ["a", "b"]
    assert shown(found, listing(*reversed(named))) == ["b", "a"]
    assert [pin.tool for pin in store.mcp_tools.all()] == ["a", "b"]


def test_an_accepted_change_is_the_one_that_was_seen(serving: Serving, store: Store) -> None:
    found, tools = firewall(serving, store), store.mcp_tools
    shown(found, listing(GET))
    shown(found, listing({**GET, "title": "one"}))
    pin = tools.get("crm", "get")
    assert pin is not None
    assert pin.changed is not None
    assert list(pin.differences()) == [("title", None, "one")]
    shown(found, listing({**GET, "title": "two"}))
    assert not tools.accept("crm", "get", pin.changed.fingerprint, "dana", 5)
    assert shown(found, listing({**GET, "title": "two"})) == []
    (pin,) = tools.all()
    assert pin.changed is not None
    assert tools.accept("crm", "get", pin.changed.fingerprint, "dana", 6)
    assert shown(found, listing({**GET, "title": "two"})) == ["get"]
    (pin,) = tools.all()
    assert (pin.accepted_by, pin.accepted_at) == ("dana", 6)
    assert tools.forget("crm") == 1


def test_a_store_that_fails_closes_both(
    serving: Serving, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("select", {}, Exception("gone"))

    found = firewall(serving, store)
    monkeypatch.setattr(store.mcp_tools, "see", fail)
    monkeypatch.setattr(store.mcp_tools, "get", fail)
    assert "held back" in shown(found, listing(GET))["message"]
    assert reason(judged(found, call("get", id=1))) == "pins_unavailable"


def test_facts_are_no_structured_content_of_a_tool_that_declares_its_own(serving: Serving) -> None:
    found = firewall(serving)
    for more, has_content in (({}, True), ({"outputSchema": {"type": "object"}}, False)):
        shown(found, listing({**DROP, **more}))
        result = judged(found, call("drop", id=1)).answer.document["result"]
        assert ("structuredContent" in result) is has_content
        assert result["_meta"]["policyc/decision"]["rule"] == "no drops"
        assert result["isError"] is True
