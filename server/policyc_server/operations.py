"""The endpoints that an operator reads."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from policyc_server.answers import encode
from policyc_server.approvals.health import ApprovalHealth
from policyc_server.errors import ApiError
from policyc_server.events.kept import Kept
from policyc_server.fleet.metrics import GroupExposition
from policyc_server.fleet.seat import Seat
from policyc_server.metrics import Exposition
from policyc_server.policies import policies_document
from policyc_server.settings import Settings
from policyc_server.sink import DecisionSink
from policyc_server.snapshot import ReloadFailure, Serving, Snapshot
from policyc_server.source import Source
from policyc_server.store.reading import reading

#: Seconds: for a look at the source that was asked for, and between looks at whether it is done.
_RELOAD_WITHIN = 30.0
_RELOAD_LOOK = 0.02


class Operations:
    """`/health`, `/metrics`, `/v1/status`, `/v1/reload` and `/v1/policies` of one app."""

    def __init__(
        self,
        settings: Settings,
        serving: Serving,
        source: Source,
        sink: DecisionSink | None,
        exposition: Exposition | GroupExposition,
        kept: Kept | None,
        approvals: ApprovalHealth | None,
        seat: Seat | None = None,
    ) -> None:
        self._settings = settings
        self._serving = serving
        self._source = source
        self._sink = sink
        self._exposition = exposition
        self._approvals = approvals
        self._kept = kept
        self._worker = 0 if seat is None else seat.number
        self._events = None if kept is None else kept.store.events
        self._started_at = time.time()
        if kept is not None:
            kept.heartbeat.describe = self.worker

    async def health(self, _request: Request) -> Response:
        """200 while decisions rest on a policy that is confirmed; 503 with what is missing otherwise."""
        missing = self._missing()
        document: dict[str, object] = {"status": "ok"} if missing is None else missing
        return _json(document, 200 if missing is None else 503)

    async def metrics(self, _request: Request) -> Response:
        return Response(self._exposition.text(), headers={"content-type": CONTENT_TYPE_LATEST})

    async def policies(self, _request: Request) -> Response:
        return _json(await self.policies_document())

    async def policies_document(self) -> dict[str, Any]:
        """What is served, with how often each rule decided. Raises ApiError 503."""
        snapshot = self._serving.snapshot
        if snapshot is None:
            return {"bundle": None, "revision": "", "default_policy": None, "bindings": [], "policies": []}
        hits = None if self._events is None else await reading(self._events.hits_by_rule)
        return policies_document(snapshot.evaluator.plan, snapshot.revision, hits)

    async def reload(self, _request: Request) -> Response:
        """Looks at the source now; the status once that is done.

        Raises ApiError 409 where what is there is not served, 408 where the look takes too long."""
        number = self._source.looks.ask()
        until = time.monotonic() + _RELOAD_WITHIN
        while not self._source.looks.is_over(number):
            if time.monotonic() > until:
                raise ApiError(408, "timeout", "the look at the source goes on; the status says how it ends")
            await asyncio.sleep(_RELOAD_LOOK)
        failure = self._serving.failure
        if failure is not None:
            raise ApiError(409, "reload_failed", failure.message, metadata={"error": _failure(failure)})
        return _json(self.status_document())

    async def status(self, _request: Request) -> Response:
        return _json(self.status_document())

    def status_document(self) -> dict[str, Any]:
        """What is served, since when, and what is wrong."""
        serving = self._serving
        missing = self._missing()
        return {
            "status": "ok" if missing is None else missing["status"],
            "started_at": _when(self._started_at),
            "source": str(self._settings.bundle),
            "policy": _policy(serving.snapshot),
            "policy_age_seconds": serving.age,
            "max_stale_seconds": serving.max_stale,
            "reload": {
                "activated": serving.counts.activated,
                "unchanged": serving.counts.unchanged,
                "failed": serving.counts.failed,
                "error": _failure(serving.failure),
                "events_error": self._source.events_error,
            },
            "download": self._source.download(),
            "decision_log": self._decision_log(),
            "store": None if self._kept is None else asdict(self._kept.writer.status()),
            "exports": [] if self._kept is None else self._kept.exports(),
            "budgets": None if self._kept is None else self._kept.budgets.document(),
            "workers": [] if self._kept is None else self._kept.heartbeat.workers(),
            "approvals": None if self._approvals is None else self._approvals.document(),
        }

    def worker(self) -> dict[str, object]:
        """What this process serves, as the other processes on the store show it."""
        serving = self._serving
        missing = self._missing()
        return {
            "worker": self._worker,
            "started_at": _when(self._started_at),
            "status": "ok" if missing is None else missing["status"],
            "policy": _policy(serving.snapshot),
            "error": _failure(serving.failure),
        }

    def _missing(self) -> dict[str, object] | None:
        serving = self._serving
        if serving.snapshot is None:
            return {
                "status": "not_ready",
                "missing": [self._settings.bundle.name],
                "error": _code(serving.failure),
            }
        if serving.is_stale:
            return {
                "status": "policy_stale",
                "policy_age_seconds": serving.age,
                "error": _code(serving.failure),
            }
        return None

    def _decision_log(self) -> dict[str, object] | None:
        if self._sink is None:
            return None
        status = self._sink.status()
        return {
            "written": status.written,
            "dropped": status.dropped,
            "waiting": status.waiting,
            "error": status.error,
        }


def _policy(snapshot: Snapshot | None) -> dict[str, object] | None:
    if snapshot is None:
        return None
    return {
        "bundle": snapshot.bundle,
        "revision": snapshot.revision,
        "version": snapshot.version,
        "digest": snapshot.digest,
        "signed_by": snapshot.signed_by,
        "activated_at": _when(snapshot.activated_at),
    }


def _failure(failure: ReloadFailure | None) -> dict[str, object] | None:
    if failure is None:
        return None
    return {
        "code": failure.code,
        "message": failure.message,
        "first_at": _when(failure.first_at),
        "last_at": _when(failure.last_at),
        "attempts": failure.attempts,
    }


def _code(failure: ReloadFailure | None) -> str | None:
    # Without its message: probes need no token, and messages name files and rules.
    return None if failure is None else failure.code


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def _json(document: dict[str, object], status: int = 200) -> Response:
    return Response(encode(document), status, media_type="application/json")
