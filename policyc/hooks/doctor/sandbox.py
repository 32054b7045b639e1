"""The hooks of the managed agent, under the reference runtime."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx

from policyc.engine.decision import visible
from policyc.engine.dialects.managed import DIALECT
from policyc.hooks.agents.samples import native_call
from policyc.hooks.declared import Command
from policyc.hooks.doctor.around import Around
from policyc.hooks.doctor.rows import Seen
from policyc.hooks.doctor.subject import Subject
from policyc.hooks.errors import HooksError
from policyc.hooks.managed import PATH, SCRIPTS
from policyc.hooks.runtime import Handled, Handler, HooksFile, Network, Result, Sandbox, Wire, load_hooks
from policyc.hooks.runtime.events import PRE, cause_line, run_handlers
from policyc.hooks.target import Samples

#: The root of the sandbox in a command line.
_ROOTED: Final = re.compile(r"(?<![\w.~/-])/(?=\.agents/)")
#: A public address: what the evaluator's name leads to, whatever it is.
_PUBLIC: Final = "93.184.215.14"


class Managed(Subject):
    """``.agents/hooks.json`` in ``folder``, which stands for the sandbox. ``place`` is a folder for things of
    ours. Raises HooksError where there is nothing to run."""

    name = DIALECT.name
    dialect = DIALECT
    own_events = False
    asks_by_command = False

    def __init__(self, folder: Path, place: Path) -> None:
        self.samples = Samples(_payload, lambda: {**_payload("shell.exec", "true"), "error": ""})
        self.gate = folder / SCRIPTS
        self._folder, self._place = folder, place
        if not (folder / PATH).exists():
            raise HooksError("nothing_to_run", f"there is no {folder / PATH}")
        before = [one for one in load_hooks(folder / PATH).handlers if one.event == PRE and one.enabled]
        # By a link, since the folder's name may need quotes.
        (place / ".agents").symlink_to((folder / ".agents").resolve())
        self._hooks = HooksFile(tuple(map(self._rooted, before)))
        self.asks = any(one.type == "http" or _is_asking(one) for one in before)
        seen = [name for name in DIALECT.tools if any(one.matches(name) for one in before)]
        if not seen:
            raise HooksError("nothing_to_run", f"no hook in {folder / PATH} runs before a tool")
        self._tool = seen[0]

    def see(self, around: Around) -> Seen:
        with self._fed(around) as hooks:
            result = asyncio.run(self._run(hooks, around))
        asked = [one for one in result.trace if one.matched and (one.type != "http" or around.evaluator)]
        how = "; ".join(map(_how, asked)) or "no command matches"
        return Seen("blocked" if result.denied else "ran", how)

    async def _run(self, hooks: HooksFile, around: Around) -> Result:
        sandbox = Sandbox(
            Network(("*",)),
            self._folder,
            {**os.environ, **around.no_network, **around.env},
            _wire(around.evaluator),
        )
        return await run_handlers(hooks, PRE, _tool_in(around.event) or self._tool, around.event, sandbox)

    def _rooted(self, handler: Handler) -> Handler:
        if not isinstance(handler.action, Command):
            return handler
        line = _ROOTED.sub(f"{self._place}/", handler.action.command)
        return replace(handler, action=Command(line))

    @contextmanager
    def _fed(self, around: Around) -> Iterator[HooksFile]:
        """The hooks; with an endless event they read it from a pipe that nobody closes."""
        if not around.endless:
            yield self._hooks
            return
        pipe = self._place / "endless"
        os.mkfifo(pipe)
        held = os.open(pipe, os.O_RDWR)
        try:
            os.write(held, around.event)
            yield HooksFile(tuple(_reading(one, pipe) for one in self._hooks.handlers))
        finally:
            os.close(held)


def _is_asking(handler: Handler) -> bool:
    return isinstance(handler.action, Command) and " --ask " in handler.action.command


def _reading(handler: Handler, pipe: Path) -> Handler:
    if not isinstance(handler.action, Command):
        return handler
    return replace(handler, action=Command(f"{{ {handler.action.command}\n}} < {pipe}"))


def _payload(kind: str, value: str) -> dict[str, Any]:
    name, args = native_call(DIALECT, kind, value)
    more = {"language": "bash"} if kind == "shell.exec" else {}
    return {"tool_call": {"name": name, "args": {**args, **more}}, "environment_id": "env_1"}


def _tool_in(event: bytes) -> str | None:
    try:
        name = json.loads(event)["tool_call"]["name"]
    except (ValueError, TypeError, LookupError):
        return None
    return name if isinstance(name, str) else None


def _how(handled: Handled) -> str:
    said = cause_line(handled) if handled.cause else handled.decision or handled.skipped
    return visible(f"{handled.type}: {said}")


class _Silence(httpx.AsyncBaseTransport):
    """Connections to a port on loopback, whatever their address is, where nobody ever speaks."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def handle_async_request(self, _request: httpx.Request) -> httpx.Response:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        try:
            await reader.read()
        finally:
            writer.close()
        raise httpx.ReadError("nothing was answered")


def _wire(port: int | None) -> Wire:
    async def resolve(_host: str, _port: int) -> list[str]:
        # Without an endpoint the evaluator is left out: its name leads nowhere.
        return [] if port is None else [_PUBLIC]

    return Wire(resolve, lambda: _Silence(port or 0))
