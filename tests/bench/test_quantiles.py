from policyc.bench.quantiles import median, quantile, timer_overhead_ns


def test_a_quantile_is_one_of_the_samples():
    samples = list(range(100, 0, -1))
    assert median(samples) == 51
    assert quantile(samples, 0.99) == 100
    assert quantile(samples, 1.0) == 100
    assert quantile([7], 0.99) == 7


def test_no_samples_are_zero():
    assert median([]) == 0.0


def test_reading_the_clock_costs_something():
    assert 0 <= timer_overhead_ns() < 100_000
