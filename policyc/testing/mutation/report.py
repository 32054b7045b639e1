"""What became of the mutants, as text for a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from policyc.engine.text import clean
from policyc.testing.mutation.entries import entry_lines, entry_of
from policyc.testing.mutation.judging import Judged
from policyc.testing.mutation.run import Mutation

_STATUSES = ("killed", "equivalent", "surviving", "unknown")


def mutation_lines(mutation: Mutation, opened: Callable[[str], str]) -> Iterator[str]:
    """``opened`` says where a file of the bundle is for who reads it."""
    for judged in mutation.of("surviving"):
        assert judged.survival is not None
        yield f"survives: {_named(judged, opened)}"
        survival = judged.survival
        verdicts = f"{survival.before.verdict} becomes {survival.after.verdict}"
        yield f"  {verdicts}, and no test notices; this one would:"
        yield from (f"    {line}" for line in entry_lines(judged))
    for judged in mutation.of("unknown"):
        yield f"unknown: {_named(judged, opened)}"
    yield headline(mutation)


def headline(mutation: Mutation) -> str:
    """``412 mutants: 400 killed, 8 equivalent, 3 surviving, 1 unknown; score 99.0 % in 1.2 s``."""
    counts = ", ".join(f"{mutation.counts[status]} {status}" for status in _STATUSES)
    noun = "mutant" if len(mutation.judged) == 1 else "mutants"
    return (
        f"{len(mutation.judged)} {noun}: {counts}; score {mutation.score:.1f} % in {mutation.seconds:.1f} s"
    )


def mutation_document(mutation: Mutation, opened: Callable[[str], str]) -> dict[str, Any]:
    return {
        "mutants": len(mutation.judged),
        **{status: mutation.counts[status] for status in _STATUSES},
        "score": round(mutation.score, 2),
        "seconds": round(mutation.seconds, 3),
        "survivors": [
            {**_document(judged, opened), **_survival(judged)} for judged in mutation.of("surviving")
        ],
        "unsettled": [{**_document(judged, opened), "why": judged.why} for judged in mutation.of("unknown")],
    }


def _document(judged: Judged, opened: Callable[[str], str]) -> dict[str, Any]:
    mutant = judged.mutant
    return {
        "kind": mutant.kind,
        "source": _place(mutant.place, opened),
        "rule": mutant.rule,
        "change": mutant.what,
    }


def _survival(judged: Judged) -> dict[str, Any]:
    survival = judged.survival
    assert survival is not None
    return {
        "policy": survival.policy,
        "verdict": survival.before.verdict,
        "mutant_verdict": survival.after.verdict,
        "test": entry_of(judged),
    }


def _named(judged: Judged, opened: Callable[[str], str]) -> str:
    mutant = judged.mutant
    subject = "the default" if mutant.rule is None else f"rule {json.dumps(mutant.rule)}"
    return clean(f"{_place(mutant.place, opened)}: {subject}: {mutant.what}")


def _place(source: str, opened: Callable[[str], str]) -> str:
    path, _, line = source.rpartition(":")
    return f"{opened(path)}:{line}"
