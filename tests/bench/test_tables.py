from dataclasses import replace

import pytest
from rich.console import Console

from policyc.bench.comparing import DiffFigures
from policyc.bench.compiling import CompileFigures
from policyc.bench.decisions import DecisionFigures
from policyc.bench.environment import environment
from policyc.bench.forwarding import ForwardingFigures
from policyc.bench.gate import GateFigures
from policyc.bench.reloading import ReloadFigures
from policyc.bench.serving import ServingFigures
from policyc.bench.storing import StoreFigures
from policyc.bench.suite import Report
from policyc.bench.tables import tables

DECISIONS = DecisionFigures("name", 10_000, 5_000, 200, 17.7, 0.25, 0.5, 3.0, 80.0, 140.0, 560.0, 0)
COMPILING = CompileFigures(10_000, 100, 2_800_000, 1.5, 10.0, 0.04, 1.0, 0.3, 435_000, 0.5)
DIFF = DiffFigures("one rule changed", 200, 0.21, 0.77, 1.0, 1, "proved", False)
GATE = GateFigures("one regex", "read_file", 20.0, 26.0, 49.0)
RELOAD = ReloadFigures("artifact", 10_000, 4, 5, 0.6, 0.8, 1.5, 0.9, 6.0, 85.0, 50_000, {})
SERVING = ServingFigures("/v1/evaluate", 16, 10_000.0, 0.5, 1_400.0, 2_800.0, 40_000, {})
KEEPING = replace(SERVING, endpoint="events on, 2 workers", share=1.45)
GATEWAY = ForwardingFigures(
    "streamed", replace(SERVING, p50_us=1_000.0), replace(SERVING, p50_us=3_345.0, rate=299.0)
)
STORE = StoreFigures("sqlite", 50_000, 12_345.0, 1_000_000, 0.71, 0.93)


@pytest.fixture
def report():
    sections = [DIFF], [GATE], [RELOAD], [SERVING], [KEEPING], [GATEWAY], [STORE]
    return Report(environment(), [DECISIONS], COMPILING, *sections)


def shown(report):
    console = Console(width=100, no_color=True)
    with console.capture() as captured:
        console.print(tables(report))
    return captured.get()


def test_the_figures_are_shown_beside_their_targets(report):
    text = shown(report)
    for figure in (
        "10,000",
        "0.25",
        "560 x",
        "1.50",
        "435 kB",
        "1 changed, rest proved",
        "0.77",
        "artifact, 10,000 rules",
        "50%",
        "2,800",
        "1.30",
        "2.45",
        "events on, 2 workers",
        "145%",
        "12,345",
        "0.71",
        "2,345",
        "299",
    ):
        assert figure in text
    assert "missed" not in text
    assert report.is_right


def test_a_missed_target_says_so_and_is_not_wrong(report):
    assert "2.5 missed" in shown(replace(report, gate=[replace(GATE, cold_ms=51.0)]))
    for missed in (replace(DIFF, whole_s=1.1), replace(DIFF, rest="unknown")):
        assert "1 missed" in shown(replace(report, diffs=[missed]))
    missed = replace(report, reloads=[replace(RELOAD, slowest_s=1.6)])
    assert "1.5 missed" in shown(missed)
    assert missed.is_right


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"decisions": [replace(DECISIONS, wrong=2)]}, "2 wrong decisions by name at 10,000 rules"),
        ({"diffs": [replace(DIFF, wrong=True)]}, "one rule changed at 200 rules: 1 changed, rest proved"),
        (
            {"reloads": [replace(RELOAD, failures={"connection lost": 3})]},
            "artifact: 3 times connection lost",
        ),
        (
            {"serving": [replace(SERVING, failures={"status 500 for 200": 1})]},
            "/v1/evaluate, 16 connections: 1 times status 500 for 200",
        ),
    ],
)
def test_what_went_wrong_is_named(report, changes, said):
    wrong = replace(report, **changes)
    assert said in shown(wrong)
    assert not wrong.is_right


def test_the_document_has_every_section(report):
    document = report.document()
    assert list(document) == [
        "ok",
        "environment",
        "decisions",
        "compile",
        "diff",
        "gate",
        "reload",
        "serve",
        "events",
        "gateway",
        "store",
    ]
    assert document["gateway"][0]["added_us"] == 2_345.0
    assert document["reload"][0]["met"] is True
    assert document["decisions"][0]["p50_us"] == 0.25
