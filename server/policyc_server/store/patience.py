"""The store on the way of a request: on a thread, and waited for only so long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from anyio import to_thread
from sqlalchemy.exc import SQLAlchemyError

T = TypeVar("T")

#: Seconds; under a request's deadline, so that what is answered says why.
PATIENCE = 4.0


class StoreSlow(SQLAlchemyError):
    """The database has not answered in time: it hangs, or the network does."""


async def patiently(act: Callable[..., T], *args: object, within: float | None = None) -> T:
    """What ``act`` returns. Raises StoreSlow after ``within`` seconds (None: PATIENCE); the thread goes on,
    since nothing can stop it, and what it does may still be committed."""
    limit = PATIENCE if within is None else within
    try:
        async with asyncio.timeout(limit):
            return await to_thread.run_sync(partial(act, *args), abandon_on_cancel=True)
    except TimeoutError:
        raise StoreSlow(f"the database has not answered within {limit:g} s") from None
