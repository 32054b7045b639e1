"""A hooks.json, read into the handlers that it declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from policyc.compiler.hooks import CATCH_ALL, DEFAULT_TIMEOUT, EVENTS
from policyc.engine.documents import Malformed, parse
from policyc.engine.regex import compile_regex
from policyc.hooks.declared import Command, Http, matcher_problem
from policyc.hooks.errors import HooksError
from policyc.hooks.managed import PATH
from policyc.hooks.schema import shape_problems
from policyc.source.diagnostics import format_path

_ROOT: Final = Path("/")


@dataclass(frozen=True)
class Handler:
    """One handler: ``rule`` is its place in the event's list, ``index`` its place in the rule's ``hooks``.

    ``timeout`` in seconds."""

    group: str
    enabled: bool
    event: str
    rule: int
    index: int
    matcher: str
    action: Command | Http
    timeout: float = DEFAULT_TIMEOUT

    @property
    def place(self) -> str:
        """``$.group.pre_tool_execution[0].hooks[0]``."""
        return format_path((self.group, self.event, self.rule, "hooks", self.index))

    @property
    def type(self) -> str:
        """``command`` or ``http``, as the file calls it."""
        return "command" if isinstance(self.action, Command) else "http"

    @cached_property
    def matcher_problem(self) -> str | None:
        """Why RE2 does not take the matcher, which then matches nothing."""
        return matcher_problem(self.matcher)

    def matches(self, tool: str) -> bool:
        """Whether the matcher covers the whole name of ``tool``."""
        if self.matcher in CATCH_ALL:
            return True
        return self.matcher_problem is None and compile_regex(self.matcher).fullmatch(tool)


@dataclass(frozen=True)
class HooksFile:
    """The handlers of a hooks.json in the order in which they run."""

    handlers: tuple[Handler, ...] = ()


def discover(folder: Path, root: Path = _ROOT) -> Path:
    """Where an agent that starts in ``folder`` finds its hooks.json: there, else at the root of the sandbox.

    Raises HooksError.
    """
    for path in (folder / PATH, root / PATH):
        if path.exists():
            return path
    raise HooksError("hooks_file_missing", f"there is no {folder / PATH} and no {root / PATH}")


def load_hooks(path: Path) -> HooksFile:
    """The hooks.json at ``path``. Raises HooksError."""
    return read_hooks(load_document(path, "hooks_file_unreadable"), str(path))


def load_document(path: Path, code: str) -> object:
    """The JSON document at ``path``. Raises HooksError with ``code``."""
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise HooksError(code, f"cannot read {path}: {error.strerror}") from None
    except Malformed as error:
        raise HooksError(code, f"{path} is not usable JSON: {error.message}") from None


def read_hooks(document: object, name: str = "hooks.json") -> HooksFile:
    """The handlers in ``document``. Raises HooksError with every problem of its shape.

    An invalid matcher is none of them: it matches nothing, and the handlers beside it run.
    """
    found = [f"{path}: {message}" for path, message in shape_problems(document)]
    if found or not isinstance(document, dict):
        raise HooksError("hooks_file_invalid", "\n  ".join([f"{name} is not a hooks.json:", *found]))
    return HooksFile(
        tuple(handler for group, content in document.items() for handler in _handlers(group, content))
    )


def _handlers(group: str, content: Mapping[str, Any]) -> Iterator[Handler]:
    enabled = content.get("enabled", True)
    for event in EVENTS:
        for rule, entry in enumerate(content.get(event, ())):
            for index, handler in enumerate(entry["hooks"]):
                timeout = handler.get("timeout", DEFAULT_TIMEOUT)
                yield Handler(group, enabled, event, rule, index, entry["matcher"], _action(handler), timeout)


def _action(handler: Mapping[str, Any]) -> Command | Http:
    if handler["type"] == "command":
        return Command(handler["command"])
    return Http(handler["url"], handler.get("headers", {}))
