"""From a region to one call in it, and what the real evaluator says of that call."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from policyc.analysis.addresses import Undecided
from policyc.analysis.command_lines import closed
from policyc.analysis.conditions import SKILL, Path, Question
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
_MOST = 150
#: Of each question, the samples that are joined with those of others.
_JOINED = 4
#: Of the samples of a question, the last ones, which have nothing of what it names.
_PLAIN = 2


def witnesses(region: Region, agent: str | None, solver: Solver) -> Iterator[Document]:
    """Calls that may be in ``region``, the simplest first: certain where no question is open, else tried out.
    Raises Exhausted."""
    stage = next((stage for stage in ("mcp", *STAGES) if stage in region.stages), None)
    try:
        plain = {path: solver.value(values) for path, values in region.values.items()}
    except (Empty, Undecided):
        return
    skill = {"skill": plain.pop(SKILL)} if plain.get(SKILL) else {}
    choices = _choices(plain, region.answers.values())
    where = _PLACES if choices else _PLACES[:1]
    names = list(_names(region.names, region.stages, solver))
    for place in where:
        for picked in itertools.islice(_combined(list(choices.values())), _MOST):
            args = _arguments({**plain, **dict(zip(choices, picked, strict=True))})
            for name in names:
                document = _document(name, args, stage, agent)
                if document is not None:
                    yield {**document, **skill, **place}


#: A folder that relative paths begin in: some questions have no other answer.
_PLACES: list[Document] = [{}, {"cwd": "/workspace"}]


def _combined(parts: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """One alternative of each part: the first ones but for one part, then side by side, then all others."""
    if len(parts) < 2:
        yield from itertools.product(*parts)
        return
    firsts = [part[0] for part in parts]
    for place, part in enumerate(parts):
        yield from ((*firsts[:place], value, *firsts[place + 1 :]) for value in part)
    longest = max(map(len, parts))
    yield from (tuple(part[step % len(part)] for part in parts) for step in range(longest))
    yield from itertools.product(*parts)


def _choices(
    plain: Mapping[Path, Any], answers: Iterable[tuple[Question, frozenset[bool | None]]]
) -> dict[Path, list[Any]]:
    """For each path that an open question is about, what may stand there: what meets several at once last."""
    choices: dict[Path, list[Any]] = {}
    for question, free in answers:
        for path, tried in samples_for(question):
            known = choices.setdefault(path, [plain.get(path, MISSING)])
            if not any(_asks_for(question, answer) for answer in free):
                tried = tried[-_PLAIN:]
            joined = [
                text for one in known[:_JOINED] for two in tried[:_JOINED] for text in _joined(one, two)
            ]
            known += [value for value in (*tried, *joined) if value not in known]
    return choices


def _asks_for(question: Question, free: bool | None) -> bool:
    """Whether what the clause names has to be there, so far as it is known."""
    negated = question.clause is not None and question.clause.negated
    return free is None or free is not negated


def _joined(one: Any, two: Any) -> list[str]:
    """Texts that have both, as command lines and as words of one."""
    if not isinstance(one, str) or not isinstance(two, str) or not one or not two:
        return []
    one = closed(one)
    return [f"{two} {one}", f"{two}; {one}", f"{one}; {two}", f"{one} {two}"]


def _names(names: Names, stages: frozenset[str], solver: Solver) -> Iterator[tuple[str, str | None]]:
    if names.single is not None:
        named = names.single | {(equal_to(("",)), False)}
        found = solver.name(Names(named, frozenset())) or solver.name(Names(names.single, frozenset()))
        if found is not None:
            # Every name of the region is as good, and this one needs no agent's adapter.
            yield found
            return
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
        if path and path != SKILL and value is not MISSING:
            _put(args, path, value)
    return args


def _put(container: Any, path: Path, value: Any) -> None:
    for key, following in itertools.pairwise((*path, None)):
        last = following is None
        fresh = value if last else [] if isinstance(following, int) else {}
        kind: type[Any] = list if isinstance(key, int) else dict
        if not isinstance(container, kind):
            # A sampled value stands where the path leads on.
            return
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
