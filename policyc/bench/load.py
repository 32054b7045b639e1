"""What a load is, and what is known after it; both cross to the load client and back as lines of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Request:
    """One request, and the answer it must get: its status, and a text that its body contains."""

    path: str
    body: str
    status: int
    contains: str

    def encode(self, port: int) -> bytes:
        """The bytes to send."""
        body = self.body.encode()
        head = f"POST {self.path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


@dataclass(frozen=True)
class Load:
    """What to send, over how many connections, for how many seconds; where ``watches``, what was decided by
    which revision is told as it is seen."""

    port: int
    requests: tuple[Request, ...]
    connections: int
    seconds: float
    watches: bool = False

    def line(self) -> str:
        """This as a line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> Load:
        """The load that ``line`` was made from."""
        data = json.loads(line)
        requests = tuple(Request(**request) for request in data.pop("requests"))
        return cls(requests=requests, **data)


@dataclass(frozen=True)
class Seen:
    """When the first answer with this verdict of this revision was complete."""

    verdict: str
    revision: str
    at: int


@dataclass(frozen=True)
class LoadReport:
    """What became of the requests of a load."""

    samples: list[tuple[int, int]]
    """When each answer was complete, and how long it took, in nanoseconds."""
    failures: dict[str, int]
    """How many answers were wrong, by what was wrong."""
    seen: list[Seen]

    @property
    def failed(self) -> int:
        return sum(self.failures.values())
