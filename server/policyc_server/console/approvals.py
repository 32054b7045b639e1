"""Approvals: what waits for a person, and the decision."""

from __future__ import annotations

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from policyc_server.approvals.approval import PENDING, STATES, Approval
from policyc_server.approvals.desk import LONGEST_COMMENT, Desk, reviewer, unknown
from policyc_server.approvals.documents import log_document, reviewer_document
from policyc_server.clock import microseconds
from policyc_server.console.door import Door, Visit
from policyc_server.console.site import Site
from policyc_server.errors import ApiError
from policyc_server.events.query import read_number
from policyc_server.store.reading import reading

_LIST = "/console/approvals"
_ONE = f"{_LIST}/{{approval}}"
_WAITING = 100
_PAGE = 30
_OVER = tuple(state for state in STATES if state != PENDING)
_DECISIONS = {"approve": True, "deny": False}


class ApprovalPages:
    def __init__(self, site: Site, desk: Desk) -> None:
        self._site = site
        self._desk = desk

    def routes(self, door: Door) -> list[Route]:
        return [
            door.route(_LIST, self.list),
            door.route(_ONE, self.show),
            door.route(f"{_ONE}/arguments", self.arguments),
            door.route(_ONE, self.decide, "POST"),
        ]

    async def list(self, visit: Visit) -> Response:
        """What waits, the longest waiting first; then what is over, page by page."""
        store, at = self._site.kept.store.approvals, microseconds()
        before = read_number(visit.request.query_params, "before")
        waiting: list[Approval] = []
        if before is None:
            waiting = await reading(store.newest, at, states=(PENDING,), limit=_WAITING)
        over = await reading(store.newest, at, states=_OVER, limit=_PAGE, before=before)
        return await self._site.show(
            "approvals.html",
            visit.visitor,
            waiting=waiting[::-1],
            over=over,
            older=over[-1].opened_at if len(over) == _PAGE else None,
            is_first=before is None,
        )

    async def show(self, visit: Visit) -> Response:
        return await self._show(visit)

    async def arguments(self, visit: Visit) -> Response:
        """All arguments that the visitor may see, as JSON in which every character is ASCII."""
        hold = self._document(visit, await self._find(visit))
        return PlainTextResponse(json.dumps(hold["args"], indent=2))

    async def decide(self, visit: Visit) -> Response:
        """The decision of a form. What cannot be decided is shown as it stands, and why."""
        name = visit.request.path_params["approval"]
        try:
            approve, comment = _read(visit.form)
            by = reviewer(visit.visitor.identity, self._site.proxies.client(visit.request.scope))
            await run_in_threadpool(self._desk.decide, name, by, approve=approve, comment=comment)
        except ApiError as error:
            if error.status == 404:
                raise
            return await self._show(visit, error)
        return RedirectResponse(f"{_LIST}/{name}", 303)

    async def _show(self, visit: Visit, problem: ApiError | None = None) -> Response:
        approval = await self._find(visit)
        log: list[dict[str, Any]] = await reading(self._site.kept.store.approvals.log, approval.id)
        return await self._site.show(
            "approval.html",
            visit.visitor,
            200 if problem is None else problem.status,
            approval=approval,
            hold=self._document(visit, approval),
            log=log_document(log),
            problem=problem,
            comment=visit.form.get("comment", ""),
            longest_comment=LONGEST_COMMENT,
        )

    async def _find(self, visit: Visit) -> Approval:
        """Raises ApiError 404."""
        name = visit.request.path_params["approval"]
        approval: Approval | None = await reading(self._site.kept.store.approvals.get, name, microseconds())
        if approval is None:
            raise unknown(name)
        return approval

    def _document(self, visit: Visit, approval: Approval) -> dict[str, Any]:
        snapshot = self._site.serving.snapshot
        rules = {} if snapshot is None else snapshot.rules
        return reviewer_document(approval, rules, is_whole=visit.visitor.is_reviewer)


def _read(form: dict[str, str]) -> tuple[bool, str | None]:
    """Raises ApiError 422."""
    decision, comment = form.get("decision", ""), form.get("comment", "").strip()
    if decision not in _DECISIONS:
        raise ApiError(422, "invalid_decision", "choose approve or deny")
    if len(comment) > LONGEST_COMMENT:
        raise ApiError(422, "invalid_decision", f"a comment has at most {LONGEST_COMMENT:,} characters")
    return _DECISIONS[decision], comment or None
