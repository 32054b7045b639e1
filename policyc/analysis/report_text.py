"""The difference of two bundles as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from policyc.analysis.report import Region, Report
from policyc.analysis.traffic import Flip, Replay
from policyc.analysis.wording import decider, edited, headline, most, recorded, shown, verdicts

#: From a place in a bundle to where its reader finds it.
Opened = Callable[[str], str]


def report_lines(report: Report, old: Opened, new: Opened) -> Iterator[str]:
    """``old`` and ``new`` say where places of either bundle are."""
    yield headline(report)
    for region in report.regions:
        yield from _region(region, old, new)
    for flip in report.others:
        yield f"recorded only: {verdicts(flip.before, flip.after)}"
        yield from _flip(flip)
    for edit in report.structure:
        place = (old if edit.kind == "removed" else new)(edit.place)
        yield f"{edited(edit)}  ({place})"
    yield from (f"unknown: {text}" for text in report.unknown)
    if report.traffic is not None:
        yield traffic_line(report.traffic)


def replay_lines(replay: Replay) -> Iterator[str]:
    for flip in replay.flips:
        yield verdicts(flip.before, flip.after)
        yield f"  before: {decider(flip.before)}"
        yield f"  now:    {decider(flip.after)}"
        yield from _flip(flip)
    yield traffic_line(replay)


def traffic_line(replay: Replay) -> str:
    flipped = sum(flip.count for flip in replay.flips)
    noun = "recorded call" if replay.total == 1 else "recorded calls"
    line = f"{replay.total} {noun}: {flipped} flipped"
    if replay.undecided:
        why = ", ".join(f"{name} {count}" for name, count in replay.undecided.most_common())
        line += f", {replay.undecided.total()} not decided again ({why}), of {most(replay.undecided_tools)}"
    return line


def _region(region: Region, old: Opened, new: Opened) -> Iterator[str]:
    change = region.change
    yield f"{change.direction}: {verdicts(change.before, change.after)}"
    yield f"  before: {decider(change.before)}  ({old(change.old.place)})"
    yield f"  now:    {decider(change.after)}  ({new(change.new.place)})"
    yield f"  call:   {shown(change.witness)}"
    if region.recorded is not None:
        yield from _flip(region.recorded)


def _flip(flip: Flip) -> Iterator[str]:
    yield f"  {recorded(flip)}"
    yield from (f"  such as {shown(example)}" for example in flip.examples)
