"""The store read by a request: on a thread, never on the event loop."""

from __future__ import annotations

from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from policyc_server.errors import ApiError


async def reading(read: Any, *args: Any, **options: Any) -> Any:
    """What ``read`` returns. Raises ApiError 503 where the database cannot be used."""
    try:
        return await run_in_threadpool(read, *args, **options)
    except SQLAlchemyError:
        raise ApiError(503, "store_unavailable", "the store cannot be read; its operator sees why") from None
