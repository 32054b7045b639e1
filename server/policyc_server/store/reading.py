"""The store read by a request: on a thread, never on the event loop."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.errors import ApiError
from policyc_server.store.patience import patiently

#: Seconds: a search through a million events takes its time.
_PATIENCE = 30.0


async def reading(read: Any, *args: Any, **options: Any) -> Any:
    """What ``read`` returns. Raises ApiError 503 where the database cannot be used."""
    try:
        return await patiently(partial(read, *args, **options), within=_PATIENCE)
    except SQLAlchemyError:
        raise ApiError(503, "store_unavailable", "the store cannot be read; its operator sees why") from None
