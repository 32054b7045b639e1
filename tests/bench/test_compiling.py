from dataclasses import replace

from policyc.bench.compiling import measure_compile


def test_the_figures_of_a_small_bundle(tmp_path):
    figures = measure_compile(tmp_path / "bench", files=3, rules=10)
    assert (figures.rules, figures.files) == (30, 3)
    assert figures.artifact_bytes == (tmp_path / "bench.tar.gz").stat().st_size
    assert figures.changed_s > 0
    assert figures.cold_s > 0
    assert figures.is_met


def test_both_targets_count(tmp_path):
    figures = measure_compile(tmp_path / "bench", files=1, rules=2)
    assert not replace(figures, cold_s=10.1).is_met
    assert not replace(figures, changed_s=1.1).is_met
