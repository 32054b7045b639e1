"""A sandbox in a temporary folder: its files, and the five tools, each between its hooks.

The paths of the sandbox (``/workspace``, ``/.agents``, ``/tmp``) are led to the folder in commands and tool
arguments. That keeps what the stand-in runs inside; it is no jail, and the stand-in runs its own lines only.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from outside import wire

from policyc.hooks.errors import HooksError
from policyc.hooks.gate_files import MOST_BYTES, MOST_BYTES_TOGETHER
from policyc.hooks.runtime import (
    HooksFile,
    Sandbox,
    ToolOutcome,
    ToolResult,
    discover,
    read_hooks,
    read_network,
    run_tool,
)

FOLDERS = ("workspace", ".agents", "tmp")
TIMEOUT = 30
_INSIDE = re.compile(rf"(?<![\w./-])/(?=(?:{'|'.join(map(re.escape, FOLDERS))})(?![\w.-]))")
_INTERPRETERS = {"bash": ("bash", "-c"), "python": (sys.executable, "-I", "-c")}


class Refused(Exception):
    """A request that the API would not take."""


class Environment:
    """One sandbox. ``outside``: the server on which every host of the internet is found, or None."""

    def __init__(self, name: str, root: Path, document: Mapping[str, Any], outside: str | None) -> None:
        self.name = name
        self.root = root.resolve()
        self.workspace = self.root / "workspace"
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True)
        self._write(document.get("sources", []))
        network = document.get("network")
        everywhere = {"allowlist": [{"domain": "*"}]}
        try:
            allowed = read_network(everywhere if network is None else network, {})
        except HooksError as error:
            raise Refused(error.message) from None
        self.sandbox = Sandbox(allowed, self.workspace, self._env(), wire(outside))

    async def call(self, tool: str, args: Mapping[str, Any]) -> ToolOutcome:
        """``tool`` between the hooks that the sandbox has now: the agent may have changed them."""
        event = {"tool_call": {"name": tool, "args": args}, "environment_id": self.name}
        return await run_tool(self._hooks(), event, self._tool, self.sandbox)

    def _write(self, sources: list[Mapping[str, Any]]) -> None:
        if any(source.get("type") != "inline" for source in sources):
            raise Refused("the stand-in takes inline sources only")
        sizes = [len(source["content"].encode()) for source in sources]
        if any(size > MOST_BYTES for size in sizes) or sum(sizes) > MOST_BYTES_TOGETHER:
            raise Refused("inline sources have at most 1 MB each and 2 MB together")
        for source in sources:
            path = self._place("/" + source["target"].lstrip("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source["content"], "utf-8")

    def _hooks(self) -> HooksFile:
        try:
            document = json.loads(discover(self.workspace, self.root).read_text("utf-8"))
            return read_hooks(_each_command(document, self._led_inside))
        except (HooksError, ValueError) as error:
            print(f"no hooks run: {error}", file=sys.stderr)
            return HooksFile()

    def _env(self) -> dict[str, str]:
        # No secret of the person who runs this is in the sandbox.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        return {"PATH": path, "HOME": str(self.workspace), "LANG": "C.UTF-8"}

    def _led_inside(self, text: str) -> str:
        return _INSIDE.sub(f"{self.root}/", text)

    def _place(self, path: str) -> Path:
        place = (
            self.workspace / path if not path.startswith("/") else self.root / path.lstrip("/")
        ).resolve()
        if not place.is_relative_to(self.root):
            raise Refused(f"{path} is outside the sandbox")
        return place

    async def _tool(self, name: str, args: Mapping[str, Any]) -> ToolResult:
        if name == "code_execution":
            return await self._execute(args["code"], args.get("language", "bash"))
        try:
            return ToolResult(_FILE_TOOLS[name](self._place(args["path"]), args))
        except OSError as error:
            return ToolResult(failure=f"{args['path']}: {error.strerror}")
        except Refused as error:
            return ToolResult(failure=str(error))

    async def _execute(self, code: str, language: str) -> ToolResult:
        process = await asyncio.create_subprocess_exec(
            *_INTERPRETERS[language],
            self._led_inside(code),
            cwd=self.workspace,
            env=self._env(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(TIMEOUT):
                output, errors = await process.communicate()
        except TimeoutError:
            return ToolResult(stderr=f"ended after {TIMEOUT} s")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return ToolResult(self._seen(output), stderr=self._seen(errors))

    def _seen(self, output: bytes) -> str:
        """``output`` with the paths that the sandbox has."""
        return output.decode("utf-8", "replace").replace(f"{self.root}/", "/")


def _each_command(document: Any, change: Any) -> Any:
    """``document`` with every text under the key ``command`` changed."""
    if isinstance(document, list):
        return [_each_command(item, change) for item in document]
    if isinstance(document, dict):
        return {
            key: change(value)
            if key == "command" and isinstance(value, str)
            else _each_command(value, change)
            for key, value in document.items()
        }
    return document


def _written(path: Path, args: Mapping[str, Any]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(args["content"], "utf-8")
    return "written"


def _deleted(path: Path, _args: Mapping[str, Any]) -> str:
    path.unlink()
    return "deleted"


_FILE_TOOLS = {
    "read_file": lambda path, _args: path.read_text("utf-8"),
    "write_file": _written,
    "list_files": lambda path, _args: sorted(entry.name for entry in path.iterdir()),
    "delete_file": _deleted,
}
