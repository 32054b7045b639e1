"""The difference of two bundles as Markdown for a comment on a pull request, the riskiest first.

Texts of calls and rules stand in code only, in ASCII and with HTML's characters written out, so that they
mention nobody, link nowhere and close nothing.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from policyc.analysis.report import Region, Report
from policyc.analysis.report_text import Opened, traffic_line
from policyc.analysis.traffic import Flip
from policyc.analysis.wording import decider, edited, headline, recorded, shown, verdicts

#: Bytes of a comment; GitHub refuses more than 65,536 characters.
_LONGEST = 58_000
_MARKS = {"loosened": "\N{LARGE RED CIRCLE}", "tightened": "\N{LARGE BLUE CIRCLE}"}


def report_markdown(report: Report, old: Opened, new: Opened) -> str:
    """At most 60,000 bytes: what does not fit is counted."""
    parts, size, left = [f"### policyc diff: {headline(report)}\n"], 200, 0
    for block in _blocks(report, old, new):
        length = len(block.encode())
        if left or size + length > _LONGEST:
            left += 1
            continue
        parts.append(block)
        size += length
    if left:
        parts.append(f"{left} more parts do not fit here: `policyc diff --format text` shows all.\n")
    return "\n".join(parts)


def _blocks(report: Report, old: Opened, new: Opened) -> Iterator[str]:
    uncovered = [edit for edit in report.structure if edit.kind == "uncovered"]
    for edit in uncovered:
        yield _folded(f"{_MARKS['loosened']} <b>hooks</b>", [_code(edited(edit))], opened=True)
    for region in report.regions:
        yield _region(region, old, new)
    if report.unknown:
        yield _folded("Unknown", [_code(text) for text in report.unknown])
    if report.others:
        lines = [line for flip in report.others for line in _flip(flip)]
        yield _folded("Recorded calls that change beside these", lines)
    others = [edit for edit in report.structure if edit not in uncovered]
    if others:
        yield _folded(
            f"Edits ({len(others)})",
            [
                f"{_code(edited(edit))} in {_code((old if edit.kind == 'removed' else new)(edit.place))}"
                for edit in others
            ],
        )
    if report.traffic is not None:
        yield f"{_code(traffic_line(report.traffic))}\n"


def _region(region: Region, old: Opened, new: Opened) -> str:
    change = region.change
    went = html.escape(verdicts(change.before, change.after))
    title = f"{_MARKS[change.direction]} <b>{change.direction}</b>: {went}"
    lines = [
        f"before: {_code(decider(change.before))} in {_code(old(change.old.place))}",
        f"now: {_code(decider(change.after))} in {_code(new(change.new.place))}",
        f"call: {_code(shown(change.witness))}",
        *([] if region.recorded is None else _flip(region.recorded)),
    ]
    return _folded(title, lines, opened=change.direction == "loosened")


def _flip(flip: Flip) -> Iterator[str]:
    yield f"{_code(verdicts(flip.before, flip.after))}: {_code(recorded(flip))}"
    yield from (f"such as {_code(shown(example))}" for example in flip.examples)


def _folded(title: str, lines: list[str], *, opened: bool = False) -> str:
    """HTML throughout: nothing in it is read as Markdown."""
    kept: list[str] = []
    size = 0
    for line in lines:
        size += len(line.encode())
        if size > _LONGEST // 4:
            kept.append(f"{len(lines) - len(kept)} more")
            break
        kept.append(line)
    items = "".join(f"<li>{line}</li>\n" for line in kept)
    state = " open" if opened else ""
    return f"<details{state}><summary>{title}</summary>\n<ul>\n{items}</ul>\n</details>\n"


def _code(text: str) -> str:
    safe = text.encode("ascii", "backslashreplace").decode()
    safe = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in safe)
    return f"<code>{html.escape(safe)}</code>"
