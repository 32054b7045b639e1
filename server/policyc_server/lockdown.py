"""The switch that denies every call until it is lifted; it holds for every process on the store."""

from __future__ import annotations

import logging
import threading
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policyc.engine.model import Outcome
from policyc_server.answers import encode
from policyc_server.auth.identity import Identity, identity_of
from policyc_server.bodies import read_body, read_json
from policyc_server.clock import microseconds
from policyc_server.errors import ApiError
from policyc_server.events.documents import moment
from policyc_server.periodic import Periodic
from policyc_server.settings import Settings
from policyc_server.store.switches import LOCKDOWN, Switch, SwitchStore

_log = logging.getLogger(__name__)

#: Seconds until a switch that another process turned is known here.
_REFRESH = 0.5
LONGEST_WHY = 500

_UNKEPT = {
    True: "this process denies every call now, but the switch could not be kept: others do not know",
    False: "the switch could not be kept, so it was not turned",
}

DENIED = Outcome("deny", "every call is denied until an operator lifts the lockdown", "lockdown")


class Lockdown:
    """Reads the switch at the start and twice a second after that; a store that is away changes nothing.

    Turned on here, it holds here at once, whatever the store says: a full disk must not keep calls going."""

    def __init__(self, store: SwitchStore) -> None:
        self._store = store
        self.switch = store.get(LOCKDOWN)
        #: Turned on here, and not kept in the store yet.
        self._unkept: Switch | None = None
        self._turns = 0
        self._lock = threading.Lock()
        self._fresh = Periodic("lockdown", _REFRESH, self._refresh)

    @property
    def is_on(self) -> bool:
        return self.switch is not None and self.switch.is_on

    async def turn(self, is_on: bool, why: str | None, identity: Identity | None) -> None:
        """Turns the switch for every process. Raises ApiError 503 where it could not be kept: on, it holds in
        this process and is tried again; off, nothing has changed."""
        by = None if identity is None else identity.key
        switch = Switch(is_on, microseconds(), by, why)
        try:
            await run_in_threadpool(self._turn, switch)
        except SQLAlchemyError:
            raise ApiError(503, "store_unavailable", _UNKEPT[is_on]) from None
        _log.warning("lockdown turned %s by %s", "on" if is_on else "off", by)

    def document(self) -> dict[str, Any]:
        if self.switch is None:
            return {"on": False, "at": None, "by": None, "why": None}
        switch = self.switch
        return {"on": switch.is_on, "at": moment(switch.at), "by": switch.by, "why": switch.why}

    def close(self) -> None:
        self._fresh.close()

    def _turn(self, switch: Switch) -> None:
        if switch.is_on:
            self._unkept = self.switch = switch
        self._store.turn(LOCKDOWN, switch)
        with self._lock:
            self._turns += 1
            self._unkept, self.switch = None, switch

    def _refresh(self) -> None:
        try:
            self._look()
        except SQLAlchemyError as error:
            _log.warning("the lockdown cannot be read or kept: %s", getattr(error, "orig", error))

    def _look(self) -> None:
        unkept, turns = self._unkept, self._turns
        if unkept is not None:
            self._store.turn(LOCKDOWN, unkept)
        found = self._store.get(LOCKDOWN)
        with self._lock:
            # What was read before a turn is over says nothing about after it.
            if turns == self._turns and unkept is self._unkept:
                self._unkept, self.switch = None, found


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
        await self._lockdown.turn(is_on, why, identity_of(request.scope))
        return _json(self._lockdown.document())


def _read(document: object) -> tuple[bool, str | None]:
    if not isinstance(document, dict) or not {"on"} <= set(document) <= {"on", "why"}:
        raise ApiError(422, "invalid_lockdown", '$ is not {"on": true or false, "why": "..."}', path="$")
    is_on, why = document["on"], document.get("why")
    if not isinstance(is_on, bool):
        raise ApiError(422, "invalid_lockdown", "$.on is neither true nor false", path="$.on")
    if not isinstance(why, str | None) or len(why or "") > LONGEST_WHY:
        raise ApiError(
            422, "invalid_lockdown", f"$.why is no text of at most {LONGEST_WHY} characters", path="$.why"
        )
    return is_on, why


def _json(document: dict[str, Any]) -> Response:
    return Response(encode(document), media_type="application/json")
