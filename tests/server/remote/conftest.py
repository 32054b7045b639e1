from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.remote.source_server import Answers, source_server


@pytest.fixture
def source() -> Iterator[Answers]:
    """A source that answers what the test sets."""
    with source_server() as answers:
        yield answers
