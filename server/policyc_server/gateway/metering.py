"""What answers of upstream cost, added to what their run has spent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from starlette.concurrency import run_in_threadpool

from policyc.engine.globs import matches
from policyc.engine.model import Call
from policyc_server.budgets.counting import Budgets
from policyc_server.gateway.vendors.vendor import Usage
from policyc_server.settings_file.prices import Price

#: Bytes that stand for a token where an answer does not say how many there were: few, so that an answer that
#: was cut off costs rather too much.
_BYTES_OF_A_TOKEN = 3


class Meter:
    """Prices and the store of what was spent. Without either nothing is measured."""

    def __init__(self, prices: Sequence[Price], budgets: Budgets | None) -> None:
        self._prices = prices
        self._budgets = budgets if prices else None

    def measures(self, call: Call) -> bool:
        """Whether the cost of answers to the run of `call` is wanted."""
        return self._budgets is not None and (call.run is not None or call.session is not None)

    async def add(self, call: Call, model: str, usage: Usage) -> None:
        """Charges the run of `call` for one answer of `model`."""
        if self._budgets is not None:
            await run_in_threadpool(self._budgets.spend, call, cost(usage, self._price(model)))

    def _price(self, model: str) -> Price:
        """The first price that is for the model; the dearest of each kind where none is."""
        found = next((price for price in self._prices if matches(price.model, model)), None)
        return found or Price(
            "*",
            max(price.input for price in self._prices),
            max(price.output for price in self._prices),
            max(price.cached_input for price in self._prices),
            max(price.cache_write for price in self._prices),
        )


def cost(usage: Usage, price: Price) -> int:
    """Millionths of a cent, which is what a token costs at a price of one cent for a million tokens."""
    return math.ceil(
        usage.input * price.input
        + usage.output * price.output
        + usage.cached_input * price.cached_input
        + usage.cache_write * price.cache_write
    )


def estimated(asked: int, answered: int) -> Usage:
    """The usage of an answer that does not say it, by the bytes of its request and of what came of it."""
    return Usage(-(-asked // _BYTES_OF_A_TOKEN), -(-answered // _BYTES_OF_A_TOKEN))


def at_least(usage: Usage | None, asked: int, answered: int) -> Usage:
    """The usage of an answer that was cut off: what it said until then, as of its beginning, may be less than
    what came of it."""
    found = estimated(asked, answered)
    if usage is None:
        return found
    return replace(usage, output=max(usage.output, found.output))
