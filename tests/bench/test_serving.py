import pytest

from policyc.bench.endpoints import BASELINE
from policyc.bench.serving import measure_serving


@pytest.mark.slow
def test_all_endpoints_answer_as_they_must_beside_the_no_op(tmp_path):
    figures = measure_serving(tmp_path / "bench", files=2, rules=5, connections=(2,), turns=2, seconds=0.3)
    assert [row.endpoint for row in figures] == [
        BASELINE,
        "/v1/evaluate",
        "/v1/enforce",
        "/v1/hooks/pre_tool_execution",
    ]
    assert [row.failures for row in figures] == [{}] * 4
    assert figures[0].share == 1
    assert all(row.rate > 10 and 0 < row.p50_us <= row.p99_us for row in figures)
