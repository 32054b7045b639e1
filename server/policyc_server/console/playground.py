"""The playground: a call in, what every rule said about it out. Nothing is recorded; budgets say what they
would count, and count nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from policyc.engine.calls import CallError, read_call
from policyc.engine.decision import decision_document
from policyc.engine.documents import Malformed, parse
from policyc.engine.explain import Trace
from policyc.engine.model import Call
from policyc_server.console.door import Door, Visit
from policyc_server.console.events import find_event
from policyc_server.console.site import Site
from policyc_server.snapshot import Snapshot

_PATH = "/console/playground"
_EXAMPLE: dict[str, Any] = {"tool": "shell.exec", "args": {"command": "rm -rf build"}, "stage": "hook"}
_LONGEST = 100_000


@dataclass(frozen=True)
class Answer:
    """What became of a call: the decision, and each part of the call with what its rules said."""

    decision: dict[str, Any]
    parts: list[tuple[str, list[dict[str, Any]]]]


class PlaygroundPage:
    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, door: Door) -> list[Route]:
        return [door.route(_PATH, self.form), door.route(_PATH, self.decide, "POST")]

    async def form(self, visit: Visit) -> Response:
        """An empty form, or one with the call of an event: ``?event=``."""
        name = visit.request.query_params.get("event")
        call = _EXAMPLE if name is None else _call_of(await find_event(self._site, name))
        return await self._show(visit, json.dumps(call, ensure_ascii=False, indent=2))

    async def decide(self, visit: Visit) -> Response:
        text = visit.form.get("call", "")
        snapshot = self._site.serving.snapshot
        if len(text) > _LONGEST:
            return await self._show(visit, text, problem=f"At most {_LONGEST:,} characters.")
        if snapshot is None:
            return await self._show(visit, text, problem="This server has no policy to try yet.")
        try:
            call = read_call(parse(text))
        except Malformed as error:
            return await self._show(visit, text, problem=f"This is not one JSON document: {error.message}.")
        except CallError as error:
            return await self._show(visit, text, problem=f"This is no call: {error}.")
        return await self._show(visit, text, answer=await run_in_threadpool(self._explain, snapshot, call))

    def _explain(self, snapshot: Snapshot, call: Call) -> Answer:
        evaluator = snapshot.evaluator
        counting = evaluator.counting(call)
        if counting or call.cost_cents:
            self._site.kept.budgets.count(call, counting, snapshot.bundle, is_trial=True)
        parts = []
        for part in call.parts:
            trace = Trace()
            evaluator.explain(part, trace)
            parts.append((" = ".join(part.names), [_step(step) for step in trace.documents()]))
        outcome = evaluator.decide(call)
        return Answer(decision_document(outcome, call, decision_id="", revision=snapshot.revision), parts)

    async def _show(
        self, visit: Visit, text: str, *, problem: str | None = None, answer: Answer | None = None
    ) -> Response:
        return await self._site.show(
            "playground.html",
            visit.visitor,
            422 if problem else 200,
            call=text,
            problem=problem,
            answer=answer,
        )


def _step(step: dict[str, Any]) -> dict[str, Any]:
    if step["matched"] is None:
        kind = "unknown"
    elif step["matched"]:
        kind = "matched"
    else:
        kind = "passed" if step["near_miss"] is None else "near"
    return {**step, "kind": kind}


def _call_of(event: dict[str, Any]) -> dict[str, Any]:
    """The call of an event as far as it was kept: its arguments are masked and shortened."""
    names = ("agent", "run", "session", "environment_id")
    known = {name: event[name] for name in names if event[name] is not None}
    args = json.loads(event["args"])
    return {
        "tool": event["tool"],
        "args": args if isinstance(args, dict) else {},
        "stage": event["stage"],
        **known,
    }
