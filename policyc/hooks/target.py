"""An agent as a target of hooks: what to write for it, and how it takes what a hook answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from policyc.engine.dialects.dialect import Dialect
from policyc.hooks.generated import Generated

#: The folder of the gate and its plan, in the repository that the agent works on.
GATE_FOLDER: Final = ".policyc/gate"
#: Seconds after which the agent gives up on a hook, which on nearly every agent lets the call run. The gate's
#: own deadline is below. Long, since some agents run the hooks of parallel calls one after another, each
#: waiting on the same clock (github/copilot-cli#2893).
HOST_TIMEOUT: Final = 30
#: What became of a call, by the agent's contract.
Judgement = Literal["ran", "blocked", "asked"]


@dataclass(frozen=True)
class Options:
    """What the person who generates chooses. ``python`` starts the gate: a name on PATH, or a path."""

    python: str = "python3"


@dataclass(frozen=True)
class Run:
    """A hook's process as the agent saw it end: ``exit_code`` is negative for a signal, ``entry`` the hook
    as the agent's configuration has it (its switches count)."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    timed_out: bool = False
    entry: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Hook:
    """A hook that a generated configuration starts before a call: a command line for a shell, or an argument
    list. ``timeout`` is in seconds, ``env`` what the agent sets, ``entry`` where all this was read."""

    event: str
    command: str | list[str]
    timeout: float
    entry: Mapping[str, Any]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Samples:
    """Payloads as the agent sends them. ``pre(kind, value)``: a call about to run, where ``kind`` is
    ``shell.exec``, ``fs.read`` or ``fs.write`` and ``value`` its command or path. ``unknown_mode`` is a
    payload with a permission mode that nobody knows, None where the agent sends none."""

    pre: Callable[[str, str], dict[str, Any]]
    post: Callable[[], dict[str, Any]]
    unknown_mode: Callable[[str, str], dict[str, Any]] | None = None


@dataclass(frozen=True)
class Target:
    """``generate`` is pure. ``hooks(folder)`` reads the hooks before a call back from the files that were
    written below ``folder``, as the agent would start them there; ``judge`` is its failure contract.

    ``asks(folder)`` are the evaluators that the agent itself asks before a call, by URL. ``switches``: the
    keys of a hook with which the agent takes a failure for a deny. ``own_events``: the hook makes its events
    itself.
    """

    name: str
    dialect: Dialect
    generate: Callable[[Mapping[str, Any], Options], Generated]
    hooks: Callable[[Path], list[Hook]]
    samples: Samples
    judge: Callable[[Run], Judgement]
    asks: Callable[[Path], list[str]] = lambda _folder: []
    switches: Mapping[str, Any] = field(default_factory=dict)
    own_events: bool = False
