from policyc.bench.comparing import measure_diff, one_rule, refactor
from policyc.bench.sources import policy_path, write_bundle


def test_each_edit_is_found_and_proved(tmp_path):
    changed, refactored = measure_diff(tmp_path, rules=20)
    assert (changed.changes > 0, changed.rest, changed.wrong) == (True, "proved", False)
    assert (refactored.changes, refactored.rest, refactored.wrong) == (0, "proved", False)
    assert 0 < changed.compare_s < changed.whole_s
    assert changed.is_met


def test_the_edits_are_what_they_are_called(tmp_path):
    write_bundle(tmp_path / "b", files=1, rules=20)
    text = policy_path(tmp_path / "b", 0).read_text("utf-8")
    lines = [
        pair
        for pair in zip(text.splitlines(), one_rule(text).splitlines(), strict=True)
        if pair[0] != pair[1]
    ]
    assert len(lines) == 1
    assert sum(map(str.__ne__, text.splitlines(), refactor(text).splitlines())) > 30
