"""How often one may try to log in."""

from __future__ import annotations

from collections import OrderedDict, deque

#: Failures of one address in a window before it has to wait, and how many addresses are remembered.
MOST = 10
WINDOW = 60.0
_ADDRESSES = 4096


class Attempts:
    """Failed logins by address. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, address: str, now: float) -> float:
        """Seconds until ``address`` may try again; 0 where it may now."""
        failures = self._failures.get(address, deque())
        while failures and failures[0] <= now - WINDOW:
            failures.popleft()
        return failures[0] + WINDOW - now if len(failures) >= MOST else 0.0

    def failed(self, address: str, now: float) -> None:
        failures = self._failures.setdefault(address, deque(maxlen=MOST))
        failures.append(now)
        self._failures.move_to_end(address)
        if len(self._failures) > _ADDRESSES:
            self._failures.popitem(last=False)
