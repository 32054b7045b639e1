"""A group of commands, each imported when it is asked for: `eval` should not wait for the server."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """``modules``: command -> the module of its ``command``, in the order that ``--help`` shows."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self._modules = modules

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(self._modules)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in self._modules:
            return None
        command = importlib.import_module(self._modules[name]).command
        assert isinstance(command, click.Command)
        return command
