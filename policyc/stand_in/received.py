"""A request as the stand-in got it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass
class Received:
    """One request; ``number`` counts from 1 over all requests of the stand-in."""

    number: int
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    ended: threading.Event = field(default_factory=threading.Event)
    """Set when nothing more of the answer will be written."""
    was_left: bool = False
    """Whether the other side went away before the answer was complete."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The body as JSON; empty where there is none."""
        document: dict[str, Any] = json.loads(self.body) if self.body else {}
        return document

    @property
    def is_streaming(self) -> bool:
        return self.path.endswith(":streamGenerateContent") or bool(self.document.get("stream"))

    @property
    def model(self) -> str:
        """The model that was asked for: in the body, or in the path as Gemini has it."""
        named = self.path.rpartition("/")[2].partition(":")[0]
        return str(self.document.get("model", named))
