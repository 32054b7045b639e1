import pytest

from policyc.bench.postgresql import is_installed
from policyc.bench.processes import BenchError, measured_store
from policyc.bench.serving import measure_keeping
from policyc.bench.storing import measure_store


def test_events_are_written_copied_and_listed(tmp_path):
    expected = [("sqlite", 2_500), ("postgresql", 250)][: 1 + is_installed()]
    measured = measure_store(tmp_path / "store", events=2_500)
    assert [(figures.database, figures.events) for figures in measured] == expected
    for figures in measured:
        assert figures.rate > 10
        assert figures.newest_ms > 0
    with pytest.raises(BenchError, match="give an empty one"):
        measured_store(f"sqlite:///{tmp_path / 'store' / 'events.db'}", 10)


@pytest.mark.slow
def test_the_endpoint_with_events_and_workers(tmp_path):
    figures = measure_keeping(
        tmp_path / "bench", files=2, rules=5, connections=4, workers=2, turns=1, seconds=0.5
    )
    assert [row.endpoint for row in figures] == ["events off", "events on", "events on, 2 workers"]
    assert [row.failures for row in figures] == [{}] * 3
