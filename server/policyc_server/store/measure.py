"""The store's part of `policyc bench`, which runs this by its name.

python -m policyc_server.store.measure --url URL --events COUNT
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import uuid
from statistics import median

from sqlalchemy import ColumnElement, Engine, func, insert, literal_column, select

from policyc_server.events.event import Event
from policyc_server.store import schema
from policyc_server.store.database import open_database
from policyc_server.store.events import EventStore, Filter

_BATCH = 500
_MOST_WRITTEN = 50_000
_LISTED = 50
_LOOKS = 21


def main() -> int:
    """Prints the figures as one line of JSON; the exit code."""
    options = argparse.ArgumentParser(prog="policyc_server.store.measure")
    options.add_argument("--url", required=True)
    options.add_argument("--events", type=int, required=True)
    chosen = options.parse_args()
    engine = open_database(chosen.url)
    store = EventStore(engine)
    if store.last_seq():
        print("the database holds events; give an empty one", file=sys.stderr)
        return 2
    written = min(chosen.events, _MOST_WRITTEN)
    rate = _write(store, written)
    _fill(engine, chosen.events)
    figures = {
        "database": engine.dialect.name,
        "written": written,
        "rate": rate,
        "events": chosen.events,
        "newest_ms": _list_ms(store, Filter()),
        "denied_ms": _list_ms(store, Filter(("deny",))),
    }
    engine.dispose()
    print(json.dumps(figures))
    return 0


def _write(store: EventStore, count: int) -> float:
    events = [_event(number) for number in range(count)]
    started = time.perf_counter()
    for first in range(0, count, _BATCH):
        store.add(events[first : first + _BATCH])
    return count / (time.perf_counter() - started)


def _fill(engine: Engine, count: int) -> None:
    """Copies what is there, under new ids, until there are ``count``."""
    table = schema.events
    is_sqlite = engine.dialect.name == "sqlite"
    new_id: ColumnElement[str] = literal_column(
        "lower(hex(randomblob(16)))" if is_sqlite else "md5(random()::text)"
    )
    names = [column.name for column in table.columns if column.name not in ("seq", "id")]
    copied = select(new_id, *(table.c[name] for name in names))
    with engine.begin() as connection:
        total = connection.execute(select(func.count()).select_from(table)).scalar_one()
        while total < count:
            some = copied.limit(count - total)
            total += connection.execute(insert(table).from_select(["id", *names], some)).rowcount


def _list_ms(store: EventStore, found: Filter) -> float:
    taken = []
    for _ in range(_LOOKS):
        started = time.perf_counter()
        store.page(found, limit=_LISTED)
        taken.append((time.perf_counter() - started) * 1e3)
    return median(taken)


def _event(number: int) -> Event:
    is_denied = number % 10 == 0
    return Event(
        id=str(uuid.uuid4()),
        at=time.time_ns() // 1000,
        surface="evaluate",
        stage="mcp",
        agent=f"agent-{number % 7}",
        key=None,
        run=f"run-{number // 40}",
        session=None,
        environment_id=None,
        tool=f"crm.tool_{number % 50}",
        verdict="deny" if is_denied else "allow",
        would_be=None,
        rule=f"rule {number % 30}",
        policy="crm",
        revision="a" * 64,
        version=1,
        reason="A rule says so.",
        reason_code="rule_match",
        risk_factors=("money",),
        latency_us=80,
        fingerprint=f"{number:064x}",
        args=json.dumps({"customer": number, "note": "x" * 120}),
        call_id=None,
    )


if __name__ == "__main__":
    sys.exit(main())
