"""What comes behind the end of a turn, which waits until it is known how the turn ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from policyc_server.gateway.vendors.vendor import End, Step


class Behind:
    """Holds bytes from `End` on, until they are released; from then on they flow again."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._flows = True

    def steps(self, steps: Iterable[Step]) -> Iterator[Step]:
        """``steps`` without the bytes that are held."""
        for step in steps:
            self._flows = self._flows and not isinstance(step, End)
            if isinstance(step, bytes) and not self._flows:
                self._held.append(step)
            else:
                yield step

    def release(self) -> bytes:
        """All that was held."""
        released, self._held, self._flows = b"".join(self._held), [], True
        return released
