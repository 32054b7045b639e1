"""Counters of budgets. What a call counts is one transaction, and exact: no two calls get one number."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Engine, case, delete, select

from policyc.runs.counting import Addition, Advance
from policyc_server.store import schema
from policyc_server.store.writing import insert_into

_counters = schema.counters
_sequences = schema.sequences


class CounterStore:
    """Times are microseconds since the epoch. Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def count(
        self,
        additions: Sequence[Addition],
        advances: Sequence[Advance],
        now: int,
        *,
        is_trial: bool = False,
    ) -> tuple[list[int], list[int]]:
        """What each counter says now, and the furthest step of each sequence that this call completes
        (0: none, since the steps before it were not taken in time). A trial is taken back."""
        # The counter of a sequence says how many calls were steps, and is its lock until the commit.
        locks = [Addition(advance.scope, 0, 1, advance.expires_at) for advance in advances]
        with self._engine.begin() as connection:
            numbers = {}
            # In one order, so that two calls never wait for each other.
            for addition in sorted({*additions, *locks}, key=lambda one: (one.scope, one.window)):
                numbers[addition.scope, addition.window] = _add(connection, addition, now)
            taken = [_advance(connection, one, now, is_new=numbers[one.scope, 0] == 1) for one in advances]
            if is_trial:
                connection.rollback()
        return [numbers[one.scope, one.window] for one in additions], taken

    def prune(self, now: int) -> int:
        """Deletes what has expired; how many counters that were."""
        with self._engine.begin() as connection:
            deleted = connection.execute(delete(_counters).where(_counters.c.expires_at <= now)).rowcount
            known = select(_counters.c.scope)
            connection.execute(delete(_sequences).where(_sequences.c.scope.not_in(known)))
        return int(deleted)


def _add(connection: Connection, addition: Addition, now: int) -> int:
    """Adds, from nothing where the counter has expired."""
    statement = insert_into(connection, _counters).values(
        scope=addition.scope,
        window=addition.window,
        count=addition.amount,
        expires_at=addition.expires_at,
    )
    before = case((_counters.c.expires_at <= now, 0), else_=_counters.c.count)
    added = statement.on_conflict_do_update(
        index_elements=["scope", "window"],
        set_={
            "count": before + statement.excluded.count,
            "expires_at": statement.excluded.expires_at,
        },
    ).returning(_counters.c.count)
    return int(connection.execute(added).scalar_one())


def _advance(connection: Connection, advance: Advance, now: int, *, is_new: bool) -> int:
    """The furthest step that the call takes."""
    mine = _sequences.c.scope == advance.scope
    if is_new:
        connection.execute(delete(_sequences).where(mine))
    rows = connection.execute(select(_sequences.c.step, _sequences.c.at).where(mine))
    furthest, changed = advance.taken({int(step): int(at) for step, at in rows}, now)
    for step, start in changed.items():
        statement = insert_into(connection, _sequences).values(scope=advance.scope, step=step, at=start)
        connection.execute(
            statement.on_conflict_do_update(index_elements=["scope", "step"], set_={"at": start})
        )
    return furthest
