"""From a region to one call in it, and what the real evaluator says of that call."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from policyc.analysis.addresses import Undecided
from policyc.analysis.conditions import Path, Question
from policyc.analysis.languages import equal_to
from policyc.analysis.names import Names
from policyc.analysis.region import Region
from policyc.analysis.samples import samples_for
from policyc.analysis.solver import Empty, Solver
from policyc.analysis.values import MISSING
from policyc.engine.calls import CallError, read_call
from policyc.engine.dialects import load
from policyc.engine.dialects.tool_owners import OWNERS
from policyc.engine.model import STAGES

#: A call as the API takes it.
Document = dict[str, Any]

#: Combinations of sampled values that are tried for one region.
_MOST = 100


def witnesses(region: Region, agent: str | None, solver: Solver) -> Iterator[Document]:
    """Calls that may be in ``region``, the simplest first: certain where no question is open, else tried out.
    Raises Exhausted."""
    stage = next((stage for stage in ("mcp", *STAGES) if stage in region.stages), None)
    open_questions = [question for question, _ in region.answers.values()]
    try:
        plain = {path: solver.value(values) for path, values in region.values.items()}
    except (Empty, Undecided):
        return
    choices = _choices(plain, open_questions)
    for picked in itertools.islice(itertools.product(*choices.values()), _MOST):
        args = _arguments({**plain, **dict(zip(choices, picked, strict=True))})
        for name in _names(region.names, region.stages, solver):
            document = _document(name, args, stage, agent)
            if document is not None:
                yield document


def _choices(
    plain: Mapping[Path, Any],
    questions: Iterable[Question],
) -> dict[Path, list[Any]]:
    """For each path that an open question is about, what may stand there."""
    choices: dict[Path, list[Any]] = {}
    for question in questions:
        for path, tried in samples_for(question):
            known = choices.setdefault(path, [plain.get(path, MISSING)])
            known += [value for value in tried if value not in known]
    return choices


def _names(names: Names, stages: frozenset[str], solver: Solver) -> Iterator[tuple[str, str | None]]:
    if names.single is not None:
        named = names.single | {(equal_to(("",)), False)}
        found = solver.name(Names(named, frozenset())) or solver.name(Names(names.single, frozenset()))
        if found is not None:
            yield found
    if "hook" in stages:
        yield from sorted(names.paired)


def _document(
    name: tuple[str, str | None], args: dict[str, Any], stage: str | None, agent: str | None
) -> Document | None:
    native, canonical = name
    if canonical is not None:
        # Agents' tools refuse calls without the arguments that they act on.
        written = _native(native, args)
        tried: list[Document] = [
            {"tool": native, "args": written, "stage": "hook"},
            {"tool": native, "args": {**_needed(native), **written}, "stage": "hook"},
        ]
    else:
        tried = [{"tool": native, "args": args, **({} if stage == "mcp" else {"stage": stage})}]
    for document in tried:
        named = document if agent is None else {**document, "agent": agent}
        if _is_call(named):
            return named
    return None


def _is_call(document: Document) -> bool:
    try:
        read_call(document)
    except CallError:
        return False
    return True


def _needed(tool: str) -> dict[str, Any]:
    keys = load(OWNERS[tool][0]).tools[tool].keys
    return {natives[0]: "x" for natives in keys.values() if natives}


def _native(tool: str, args: dict[str, Any]) -> dict[str, Any]:
    """``args`` under the keys that the agent uses."""
    keys = load(OWNERS[tool][0]).tools[tool].keys
    names = {canonical: natives[0] for canonical, natives in keys.items() if natives}
    return {names.get(key, key): value for key, value in args.items()}


def _arguments(found: Mapping[Path, Any]) -> dict[str, Any]:
    """One object with each value at its path; the deeper ones fill the containers."""
    args: dict[str, Any] = {}
    for path in sorted(found, key=len):
        value = found[path]
        if path and value is not MISSING:
            _put(args, path, value)
    return args


def _put(container: Any, path: Path, value: Any) -> None:
    for key, following in itertools.pairwise((*path, None)):
        last = following is None
        fresh = value if last else [] if isinstance(following, int) else {}
        if isinstance(key, int):
            while len(container) <= key:
                container.append(None)
            if last or not isinstance(container[key], dict | list):
                container[key] = fresh
            container = container[key]
        else:
            if last or not isinstance(container.get(key), dict | list):
                container[key] = fresh
            container = container[key]
