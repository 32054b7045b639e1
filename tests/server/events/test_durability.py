"""What was promised to be kept is there after kill -9, and a store that fails is said so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from policyc_server.store.database import sqlite_url
from policyc_server.store.events import Filter
from policyc_server.store.store import Store

from server.process import ServerProcess

CALL = {"tool": "payment.transfer", "args": {"amount_cents": 1}}


async def post_until_it_dies(server: ServerProcess, count: int) -> set[str]:
    """The ids of the decisions that were answered; the server is killed in the middle."""
    answered: set[str] = set()

    async def post(client: httpx.AsyncClient) -> None:
        while True:
            try:
                answered.add((await client.post("/v1/evaluate", json=CALL)).json()["decision_id"])
            except httpx.HTTPError:
                return
            if len(answered) == count:
                server.process.kill()

    async with httpx.AsyncClient(base_url=server.url, timeout=10) as client:
        await asyncio.gather(*(post(client) for _ in range(8)))
    return answered


def test_no_acknowledged_event_is_lost(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path
) -> None:
    server = serve(artifact, "--state", tmp_path, "--durable-events").ready()
    answered = asyncio.run(post_until_it_dies(server, 60))
    store = Store(sqlite_url(tmp_path))
    kept = {row["id"] for row in store.events.page(Filter(), limit=1000)}
    store.close()
    assert len(answered) >= 60
    assert answered <= kept


def test_a_durable_decision_that_cannot_be_kept_does_not_stand(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path
) -> None:
    server = serve(artifact, "--state", tmp_path, "--durable-events").ready()
    store = Store(sqlite_url(tmp_path))
    with store._engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE events RENAME TO elsewhere")
    answer = httpx.post(f"{server.url}/v1/enforce", json=CALL, timeout=20)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "event_not_recorded")
    hook = {"tool_call": {"name": "list_files", "args": {}}}
    answer = httpx.post(f"{server.url}/v1/hooks/pre_tool_execution", json=hook, timeout=20)
    assert answer.json()["decision"] == "deny"
    assert httpx.get(f"{server.url}/v1/status").json()["store"]["error"] is not None
    with store._engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO events")
    store.close()
    assert httpx.post(f"{server.url}/v1/enforce", json=CALL, timeout=20).status_code == 200
    assert httpx.get(f"{server.url}/v1/status").json()["store"]["error"] is None


@pytest.mark.parametrize("durable", [(), ("--durable-events",)])
def test_a_stopped_server_has_written_everything(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path, durable: tuple[str, ...]
) -> None:
    server = serve(artifact, "--state", tmp_path, *durable).ready()
    httpx.post(f"{server.url}/v1/evaluate", json=[CALL] * 200, timeout=20)
    server.process.terminate()
    assert server.process.wait(10) == 0
    store = Store(sqlite_url(tmp_path))
    assert len(store.events.page(Filter(), limit=1000)) == 200
    store.close()
