import pytest

from policyc.bench.forwarding import measure_forwarding


@pytest.mark.slow
def test_answers_through_the_gateway_are_right_and_compared_with_direct_ones(tmp_path):
    figures = measure_forwarding(
        tmp_path / "bench", files=2, rules=5, connections=(1, 2), turns=2, seconds=0.4
    )
    assert [(row.answer, row.direct.connections) for row in figures] == [
        ("whole", 1),
        ("streamed", 1),
        ("whole", 2),
        ("streamed", 2),
    ]
    for row in figures:
        assert row.failures == {}
        assert (row.direct.endpoint, row.gateway.endpoint) == ("directly", "gateway")
        assert row.added_us == row.gateway.p50_us - row.direct.p50_us
        assert row.gateway.rate > 1
