import pytest

from policyc.bench import catalogue
from policyc.engine.globs import matches
from policyc.engine.regex import compile_regex


@pytest.mark.parametrize("rules", [10, 100, 10_000])
def test_names_are_distinct_and_all_covered(rules):
    names = catalogue.tool_names(rules, 200)
    globs = [glob for rule in catalogue.globs(rules) for glob in rule]
    assert len(set(names)) == 200
    assert all(any(matches(glob, name) for glob in globs) for name in names)


def test_globs_are_of_all_kinds():
    globs = [glob for rule in catalogue.globs(1_000) for glob in rule]
    exact = [glob for glob in globs if "*" not in glob]
    prefix = [glob for glob in globs if glob.endswith("*") and glob.count("*") == 1]
    suffix = [glob for glob in globs if glob.startswith("*")]
    infix = [glob for glob in globs if glob.count("*") == 2]
    assert min(map(len, (exact, prefix, suffix, infix))) > 50
    assert len(exact) + len(prefix) + len(suffix) + len(infix) == len(globs)


@pytest.mark.parametrize("number", range(8))
def test_a_command_matches_the_expression_of_its_rule_alone(number):
    patterns = [compile_regex(catalogue.pattern(other)) for other in range(100)]
    matching = catalogue.matching_command(number)
    assert [n for n, pattern in enumerate(patterns) if pattern.search(matching)] == [number]
    assert not any(pattern.search(catalogue.harmless_command(number)) for pattern in patterns)
