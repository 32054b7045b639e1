"""The switch that denies every call until it is lifted; it holds for every process on the store."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policyc.engine.model import Outcome
from policyc_server.answers import encode
from policyc_server.auth.identity import identity_of
from policyc_server.bodies import read_body, read_json
from policyc_server.errors import ApiError
from policyc_server.events.documents import moment
from policyc_server.settings import Settings
from policyc_server.store.switches import LOCKDOWN, Switch, SwitchStore

_log = logging.getLogger(__name__)

#: Seconds until a switch that another process turned is known here.
_REFRESH = 0.5
_LONGEST_WHY = 500

DENIED = Outcome("deny", "every call is denied until an operator lifts the lockdown", "lockdown")


class Lockdown:
    """Reads the switch at the start and twice a second after that; a store that is away changes nothing."""

    def __init__(self, store: SwitchStore) -> None:
        self._store = store
        self.switch = store.get(LOCKDOWN)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lockdown", daemon=True)
        self._thread.start()

    @property
    def is_on(self) -> bool:
        return self.switch is not None and self.switch.is_on

    def turn(self, switch: Switch) -> None:
        """Raises SQLAlchemyError, with nothing changed."""
        self._store.turn(LOCKDOWN, switch)
        self.switch = switch

    def document(self) -> dict[str, Any]:
        if self.switch is None:
            return {"on": False, "at": None, "by": None, "why": None}
        switch = self.switch
        return {"on": switch.is_on, "at": moment(switch.at), "by": switch.by, "why": switch.why}

    def close(self) -> None:
        self._closing.set()
        self._thread.join(1)

    def _run(self) -> None:
        while not self._closing.wait(_REFRESH):
            try:
                self.switch = self._store.get(LOCKDOWN)
            except SQLAlchemyError as error:
                _log.warning("the lockdown cannot be read: %s", getattr(error, "orig", error))


class LockdownEndpoint:
    """``POST /v1/lockdown {"on": true, "why": "..."}``, and GET for how it stands."""

    def __init__(self, lockdown: Lockdown, settings: Settings) -> None:
        self._lockdown = lockdown
        self._settings = settings

    def routes(self) -> list[Route]:
        return [
            Route("/v1/lockdown", self.show, methods=["GET"]),
            Route("/v1/lockdown", self.turn, methods=["POST"]),
        ]

    async def show(self, _request: Request) -> Response:
        return _json(self._lockdown.document())

    async def turn(self, request: Request) -> Response:
        settings = self._settings
        body = await read_body(
            request.scope, request.receive, limit=settings.body_limit, deadline=settings.deadline
        )
        is_on, why = _read(read_json(body))
        identity = identity_of(request.scope)
        by = None if identity is None else identity.key
        switch = Switch(is_on, time.time_ns() // 1000, by, why)
        try:
            await run_in_threadpool(self._lockdown.turn, switch)
        except SQLAlchemyError:
            raise ApiError(
                503, "store_unavailable", "the switch could not be kept, so it was not turned"
            ) from None
        _log.warning("lockdown turned %s by %s", "on" if is_on else "off", by)
        return _json(self._lockdown.document())


def _read(document: object) -> tuple[bool, str | None]:
    if not isinstance(document, dict) or not {"on"} <= set(document) <= {"on", "why"}:
        raise ApiError(422, "invalid_lockdown", '$ is not {"on": true or false, "why": "..."}', path="$")
    is_on, why = document["on"], document.get("why")
    if not isinstance(is_on, bool):
        raise ApiError(422, "invalid_lockdown", "$.on is neither true nor false", path="$.on")
    if not isinstance(why, str | None) or len(why or "") > _LONGEST_WHY:
        raise ApiError(
            422, "invalid_lockdown", f"$.why is no text of at most {_LONGEST_WHY} characters", path="$.why"
        )
    return is_on, why


def _json(document: dict[str, Any]) -> Response:
    return Response(encode(document), media_type="application/json")
