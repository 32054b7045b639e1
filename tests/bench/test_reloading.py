import pytest

from policyc.bench.load import Seen
from policyc.bench.reloading import reload_artifact, reload_folder, wrong_verdicts


@pytest.mark.slow
@pytest.mark.parametrize("reload", [reload_artifact, reload_folder])
def test_each_edition_is_served_and_no_request_fails(tmp_path, reload):
    figures = reload(tmp_path / "bench", files=2, rules=5, connections=2, reloads=2)
    assert figures.failures == {}
    assert figures.requests > 100
    assert (figures.rules, figures.reloads) == (10, 2)
    assert 0 < figures.median_s <= figures.slowest_s < 10
    assert 0 < figures.p99_before_ms <= figures.slowest_ms


def test_a_verdict_of_another_edition_is_counted():
    seen = [
        Seen("allow", "a", 1),
        Seen("audit", "a", 2),
        Seen("deny", "b", 3),
        Seen("deny", "c", 4),
        Seen("audit", "c", 5),
    ]
    assert wrong_verdicts(seen[:3]) == {}
    assert wrong_verdicts(seen) == {"deny by edition 2": 1}
