"""The gateway of several processes: each has its own connections, all have one store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from server.gateway.running import RawUpstream, answer, chat_request, completion, upstream_of
from server.process import ServerProcess, eventually


@pytest.mark.slow
def test_workers_share_what_happened(
    serve: Callable[..., ServerProcess], policy: Path, tmp_path: Path
) -> None:
    state, settings = tmp_path / "state", tmp_path / "settings.yaml"
    state.mkdir()
    upstream = RawUpstream(*[answer(completion("ok")) for _ in range(6)])
    with upstream_of(upstream) as url:
        settings.write_text(f"upstreams: {{up: {{kind: openai, base_url: '{url}'}}}}\n")
        server = serve(policy, "--state", state, "--workers", "2", "--settings", settings).ready()
        path = "/gateway/up/v1/chat/completions"
        assert [server.post(path, chat_request("crm.get")).status_code for _ in range(6)] == [200] * 6
        eventually(lambda: len(server.client.get("/v1/events").json()["events"]) == 6)
        assert server.stop() == 0
