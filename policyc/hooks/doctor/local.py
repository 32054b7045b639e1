"""The hooks of an agent on a developer's machine, in a repository."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from policyc.engine.decision import visible
from policyc.hooks.doctor.around import Around
from policyc.hooks.doctor.processes import run
from policyc.hooks.doctor.rows import Seen
from policyc.hooks.doctor.subject import Subject
from policyc.hooks.errors import HooksError
from policyc.hooks.settings.json_text import NotSettings
from policyc.hooks.target import GATE_FOLDER, Hook, Judgement, Run, Target

#: Of a command that asks the evaluator itself; the gate is kept from it by `no_network`.
_URL: Final = re.compile(r"(?<!--ask )https://[^\s/\"']+(?=/\S*v1/hooks/)")
#: The weakest first.
_ORDER: Final[tuple[Judgement, ...]] = ("ran", "asked", "blocked")
_EXCERPT: Final = 100


class Local(Subject):
    """``target`` with its configuration in ``folder``. Raises HooksError where there is nothing to run."""

    def __init__(self, target: Target, folder: Path) -> None:
        self.name, self.dialect, self.samples = target.name, target.dialect, target.samples
        self.gate = folder / GATE_FOLDER
        self.own_events = target.own_events
        self._target, self._folder = target, folder
        self._hooks, self._asked = _read(target, folder)
        self.asks_by_command = any(map(_url, self._hooks))
        by_gate = any(" --ask " in _text(hook) for hook in self._hooks)
        self.asks = self.asks_by_command or by_gate or bool(self._asked)

    def see(self, around: Around) -> Seen:
        by_event: dict[str, list[Hook]] = {}
        for hook in self._hooks:
            by_event.setdefault(hook.event, []).append(hook)
        # Hooks of one event are heard together; another event is another version of the agent.
        found = [self._event(hooks, around) for hooks in by_event.values()]
        return min(found, key=_strength) if found else Seen("ran", "no command runs before the call")

    def _event(self, hooks: list[Hook], around: Around) -> Seen:
        heard = [hook for hook in hooks if around.evaluator is not None or not _url(hook)]
        found = [self._one(_pointed(hook, around), around) for hook in heard]
        if not found:
            return Seen("ran", "only the evaluator is asked")
        strongest = max(found, key=_strength)
        same = [seen.how for seen in found if seen.judgement == strongest.judgement]
        return replace(strongest, how="; ".join(same))

    def _one(self, hook: Hook, around: Around) -> Seen:
        ended = run(replace(hook, env={**around.no_network, **hook.env}), self._folder, around)
        return Seen(self._target.judge(ended), how(ended, hook.timeout), self._remedy(ended))

    def _remedy(self, ended: Run) -> str:
        switched = replace(ended, entry={**ended.entry, **self._target.switches})
        if self._target.judge(switched) == "ran":
            return ""
        return ", ".join(f"{key}: {json.dumps(value)}" for key, value in self._target.switches.items())


def how(ended: Run, timeout: float) -> str:
    """How a process ended, in a few words."""
    if ended.timed_out:
        return f"killed by the agent after {timeout:g} s"
    said = ended.stdout.strip() or ended.stderr.strip()
    if not said:
        return f"exit {ended.exit_code}, no output"
    more = " ..." if len(said) > _EXCERPT else ""
    return f"exit {ended.exit_code}: {visible(said[:_EXCERPT])}{more}"


def _strength(seen: Seen) -> int:
    return _ORDER.index(seen.judgement)


def _read(target: Target, folder: Path) -> tuple[list[Hook], list[str]]:
    try:
        hooks, asked = target.hooks(folder), target.asks(folder)
    except OSError as error:
        raise HooksError("nothing_to_run", f"cannot read {error.filename}: {error.strerror}") from None
    except (NotSettings, LookupError, TypeError, ValueError, AttributeError) as error:
        said = f"the hooks of {target.name} in {folder} cannot be read: {error!r}"
        raise HooksError("nothing_to_run", said) from None
    if not hooks and not asked:
        raise HooksError("nothing_to_run", f"{folder} has no hooks of ours for {target.name}")
    if target.own_events and shutil.which(str(hooks[0].command[0])) is None:
        raise HooksError("nothing_to_run", f"{hooks[0].command[0]}, which the hook runs under, is not here")
    return hooks, asked


def _text(hook: Hook) -> str:
    return hook.command if isinstance(hook.command, str) else " ".join(hook.command)


def _url(hook: Hook) -> bool:
    return _URL.search(_text(hook)) is not None


def _pointed(hook: Hook, around: Around) -> Hook:
    """``hook`` with the port on loopback for its evaluator."""
    if not isinstance(hook.command, str) or not _url(hook):
        return hook
    env: Mapping[str, str] = {**hook.env, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    line = _URL.sub(f"https://127.0.0.1:{around.evaluator}", hook.command)
    return replace(hook, command=line, env=env)
