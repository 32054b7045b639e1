"""A call that a person approves, through the model."""

from __future__ import annotations

import itertools
import re

import pytest
from official_clients import APIS

from policyc.stand_in.script import ToolCall, turn
from server.gateway.clients.firewall import SHIP, UPSTREAMS, ask

pytestmark = pytest.mark.slow

EVERY_WAY = pytest.mark.parametrize(("api", "stream"), list(itertools.product(APIS, (False, True))))
_APPROVAL = re.compile(r"approval ([0-9a-f-]{36})")


@EVERY_WAY
def test_an_approved_call_passes_once_when_the_model_makes_it_again(firewall, api, stream):
    run = f"ship-{UPSTREAMS[api]}-{'responses' in api}-{stream}"
    conversation = firewall.talk(api, run=run)
    firewall.says(turn("Shipping. ", SHIP), turn("It waits for a person."))
    answer = ask(conversation, stream)
    assert (answer.calls, answer.text.endswith("It waits for a person.")) == ([], True)
    approval = _APPROVAL.search(firewall.told(1))
    assert approval is not None, firewall.told(1)

    firewall.says(turn("Again: ", SHIP), turn("Still waiting."))
    assert ask(conversation, stream).calls == []

    assert firewall.reviewer.approve(approval[1]).status_code == 200
    other = ToolCall("deploy.release", '{"service": "pay", "environment": "production"}')
    firewall.says(turn(other, SHIP), turn("Shipped."))
    (shipped,) = ask(conversation, stream).calls
    assert (shipped.name, shipped.args["service"]) == ("deploy.release", "shop")
    conversation.tell([(shipped, "live")])
    assert ask(conversation, stream).text == "Shipped."

    firewall.says(turn("Once more: ", SHIP), turn("Waiting again."))
    assert ask(conversation, stream).calls == []
    verdicts = [
        e["verdict"] for e in firewall.events(run=run, surface="response") if "shop" in str(e["args"])
    ]
    assert verdicts == ["pending_approval", "allow", "pending_approval", "pending_approval"]
