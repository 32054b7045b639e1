import os
import urllib.request
from contextlib import suppress

import pytest

from policyc.bench.processes import EVALUATOR, NO_OP, BenchError, serving
from policyc.bench.sources import write_bundle


def children() -> set[str]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return set(file.read().split())


def test_a_server_ends_with_its_block_also_when_that_fails(tmp_path):
    write_bundle(tmp_path / "bench", files=1, rules=2)
    before = children()
    with suppress(KeyboardInterrupt), serving(NO_OP, tmp_path / "bench") as server:
        assert len(children() - before) == 1
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}/v1/evaluate", b"not even JSON")
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.read() == b"{}"
        raise KeyboardInterrupt
    assert children() == before


def test_a_server_that_does_not_start_is_an_error_with_what_it_said(tmp_path):
    before = children()
    with pytest.raises(BenchError, match=r"did not start: .*error"), serving(EVALUATOR, tmp_path / "nothing"):
        pass
    assert children() == before
