"""Gateways before upstreams, both on ports of their own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.gateway.running import Gateway, RawUpstream, open_gateway, upstream_of, write_policy


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_policy(tmp_path)


@pytest.fixture
def before(policy: Path) -> Iterator[Callable[..., Gateway]]:
    """Makes a gateway before an upstream that gives these answers."""
    with contextlib.ExitStack() as stack:

        def make(app: RawUpstream, **changes: Any) -> Gateway:
            url = stack.enter_context(upstream_of(app))
            gateway = open_gateway(changes.pop("bundle", policy), url, **changes)
            stack.callback(gateway.close)
            return gateway

        yield make
