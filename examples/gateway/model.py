"""The model of the example: a script that reads what it is told, as a model would.

It stands behind the four APIs of `policyc.stand_in`, so that the example needs no key and no network."""

from __future__ import annotations

from collections.abc import Generator

from policyc.stand_in.apis import api_of
from policyc.stand_in.received import Received
from policyc.stand_in.script import ToolCall, Turn, turn

LOOK_UP = (ToolCall("crm__get_contact", '{"id": 7}'), ToolCall("crm__search", '{"company": "Acme"}'))
PAY_ALL = ToolCall("payment__transfer", '{"to": "Acme", "amount_cents": 250000}')
PAY_PART = ToolCall("payment__transfer", '{"to": "Acme", "amount_cents": 90000}')
FORGET = ToolCall("crm__delete_contact", '{"id": 7}')
STAGING = ToolCall("deploy__release", '{"service": "shop", "environment": "staging"}')
PRODUCTION = ToolCall("deploy__release", '{"service": "shop", "environment": "production"}')

Story = Generator[Turn, str, None]


def story() -> Story:
    """What the model says next, given what it was told of its last calls."""
    told = yield turn("I look up the client. ", *LOOK_UP)
    told = yield turn("I pay the invoice. ", PAY_ALL)
    if "payment_cap" in told:
        told = yield turn("That is over the cap, so I pay a part, and tidy up. ", PAY_PART, FORGET)
    told = yield turn("I release to staging. ", STAGING)
    while "live in production" not in told:
        told = yield turn("And now to production. ", PRODUCTION)
        if "approval" in told:
            told = yield turn("A person has to approve that; I come back to it.")
    yield turn("All done.")


class Model:
    """Goes on with the story at each request; `begin` starts it again for the next conversation."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._story = story()
        self._is_new = True

    def __call__(self, received: Received) -> Turn:
        if self._is_new:
            self._is_new = False
            return next(self._story)
        return self._story.send("\n".join(api_of(received.path).results(received.document)))
