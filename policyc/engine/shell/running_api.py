"""What handlers of single programs use of the walk; ``running.Shell`` is it."""

from __future__ import annotations

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import Dynamic
from policyc.engine.shell.walk import Walker


class Running(Walker):
    """A walker that can run an argument list."""

    def dispatch(
        self,
        fields: list[str | Dynamic],
        reads: tuple[str | None, ...] = (),
        writes: tuple[str | None, ...] = (),
    ) -> str | Dynamic:
        raise NotImplementedError

    def command(
        self,
        program: str | None,
        fields: list[str | Dynamic],
        reads: tuple[str | None, ...] = (),
        writes: tuple[str | None, ...] = (),
    ) -> SimpleCommand:
        raise NotImplementedError

    def project(self, command: SimpleCommand) -> None:
        """What a program runs of files that it looks for by itself."""
        raise NotImplementedError
