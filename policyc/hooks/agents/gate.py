"""The gate in an agent's configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from policyc.bundle.errors import quote
from policyc.hooks.agents.evaluator import asked_by_gate
from policyc.hooks.command_line import command_line, forward
from policyc.hooks.declared import Gate, read_groups
from policyc.hooks.gate_files import deadline_within, gate_command, gate_files
from policyc.hooks.generated import Generated, Merge, Native
from policyc.hooks.target import GATE_FOLDER, HOST_TIMEOUT, Options

#: The agent's timeout where its unit is milliseconds.
HOST_TIMEOUT_MS: Final = HOST_TIMEOUT * 1000

_FROM_ROOT: Final = (
    "The command names the gate relative to the repository: start the agent in its root, "
    "or every call is denied."
)
_PYTHON: Final = (
    "The hook starts {python}: where that is no Python 3.9 or later, calls are {fault}. "
    "`--python` takes a path; `policyc hooks doctor` runs the command as the agent would."
)


def gate(target: str, options: Options, data: Mapping[str, Any], folder: str = GATE_FOLDER) -> list[str]:
    """The argument list that starts the gate."""
    server = asked_by_gate(data, target)
    return gate_command(
        folder,
        target,
        python=forward(options.python),
        deadline=deadline_within(HOST_TIMEOUT),
        ask=None if server is None else server.url,
    )


def gate_line(target: str, options: Options, data: Mapping[str, Any]) -> str:
    """The same as one line for a shell. Raises HooksError."""
    return command_line(gate(target, options, data))


def generated(
    data: Mapping[str, Any],
    options: Options,
    *,
    fault: str,
    files: Mapping[str, str] | None = None,
    merged: Mapping[str, Merge] | None = None,
    executable: Iterable[str] = (),
    native: Iterable[Native] = (),
    notes: Iterable[str] = (),
    from_root: bool = True,
) -> Generated:
    """An agent's files with the gate's beside them. ``fault``: what becomes of calls when the gate cannot
    start, ``denied`` or ``not checked``."""
    said = [
        *notes,
        *([_FROM_ROOT] if from_root else []),
        _PYTHON.format(python=quote(options.python), fault=fault),
        *_not_carried(data),
    ]
    together = {**gate_files(data, GATE_FOLDER), **(files or {})}
    return Generated(together, said, dict(merged or {}), frozenset(executable), native=tuple(native))


def _not_carried(data: Mapping[str, Any]) -> Iterable[str]:
    """What a bundle's ``hooks`` say that is for the managed agent alone."""
    entries = [entry for group in read_groups(data) for entry in group.entries if not entry.asks_evaluator]
    others = [entry.place for entry in entries if not isinstance(entry.handler, Gate)]
    if others:
        yield f"For the managed agent alone, so not written here: {', '.join(others)}."
    if data["bindings"]:
        yield "The events name no agent, so `bindings` do not hold at a hook: the default policy governs."
