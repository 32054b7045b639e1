"""An agent's loop: asks the model, runs the calls that come back, tells the model, until it only talks.

It knows nothing of a firewall. What is blocked never reaches it."""

from __future__ import annotations

import json
from collections.abc import Callable

from official_clients import Conversation, ToolUse
from tools import TOOLS

_STEPS = 12

Say = Callable[[str], None]


def work(conversation: Conversation, say: Say) -> tuple[list[str], int]:
    """The tools that ran until the model made no more calls, and how many turns that took."""
    ran: list[str] = []
    for turn in range(1, _STEPS):
        said: list[str] = []
        answer = conversation.ask(said.append)
        say(f"model: {' '.join(''.join(said).split())}")
        if not answer.calls:
            return ran, turn
        ran += [call.name for call in answer.calls]
        conversation.tell([(call, run(call, say)) for call in answer.calls])
    raise SystemExit("the model does not come to an end")


def run(call: ToolUse, say: Say) -> str:
    result = TOOLS[call.name](**call.args)
    say(f"  RAN {call.name} {json.dumps(call.args)}: {result}")
    return result
