"""Hooks in the format that Claude Code began and others took over: events of groups, each with a matcher and
its handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from policyc.hooks.agents.evaluator import Evaluator
from policyc.hooks.generated import Merge, Merged
from policyc.hooks.settings.entries import Ours, with_hooks
from policyc.hooks.settings.merge import read_settings
from policyc.hooks.target import Hook

Settings = dict[str, Any]


def group(handlers: list[Settings], matcher: str | None = "*") -> list[Settings]:
    """One group for every tool; without a matcher where ``*`` is no word of the agent's."""
    return [{**({} if matcher is None else {"matcher": matcher}), "hooks": handlers}]


def http(found: Evaluator | None) -> list[Settings]:
    """The handler that asks the evaluator, where there is one; in seconds also where commands are not."""
    return [] if found is None else [{"type": "http", "url": found.url, "timeout": found.timeout}]


def events(pre: str, post: str, handlers: list[Settings], after: Evaluator | None) -> dict[str, list[Any]]:
    """The groups of both events: before a call ``handlers``, after it the evaluator where it is to hear."""
    return {pre: group(handlers), **({post: group(http(after))} if after else {})}


def merge(target: str, events: Mapping[str, list[Any]], start: Settings | None = None) -> Merge:
    """Merges ``events`` under ``hooks``; ``start`` are keys that a new file needs."""

    def apply(settings: Settings, _native: object) -> Merged:
        found = with_hooks({**(start or {}), **settings}, events, Ours(target))
        return Merged(found, switched_off(settings))

    return Merge(apply)


def switched_off(settings: Settings) -> list[str]:
    """What the settings that are there say against hooks."""
    return ["disableAllHooks is true: no hook runs."] if settings.get("disableAllHooks") is True else []


def read_hooks(
    path: str, event: str, target: str, seconds: Callable[[Settings], float], **env: str
) -> Callable[[Path], list[Hook]]:
    """Reads back the handlers of ours under ``event`` that start a process. ``env``: what the agent sets,
    where ``{folder}`` stands for the folder."""

    def read(folder: Path) -> list[Hook]:
        values = {name: value.format(folder=folder) for name, value in env.items()}
        found = []
        for handler in _handlers(folder / path, event, target):
            command = _command(handler, values)
            if command is not None:
                found.append(Hook(event, command, seconds(handler), handler, values))
        return found

    return read


def read_urls(path: str, event: str, target: str) -> Callable[[Path], list[str]]:
    """Reads back the URLs that the agent itself asks under ``event``."""

    def read(folder: Path) -> list[str]:
        handlers = _handlers(folder / path, event, target)
        return [handler["url"] for handler in handlers if handler.get("type") == "http"]

    return read


def _handlers(path: Path, event: str, target: str) -> list[Settings]:
    """The handlers of ours under ``event``."""
    entries = read_settings(path).get("hooks", {}).get(event, [])
    handlers = (handler for entry in entries for handler in entry.get("hooks", [entry]))
    return list(filter(Ours(target), handlers))


def _command(handler: Settings, env: Mapping[str, str]) -> str | list[str] | None:
    command = handler.get("command", handler.get("bash"))
    if command is None or "args" not in handler:
        return command
    return [_expanded(part, env) for part in (command, *handler["args"])]


def _expanded(text: str, env: Mapping[str, str]) -> str:
    for name, value in env.items():
        text = text.replace(f"${{{name}}}", value)
    return text
