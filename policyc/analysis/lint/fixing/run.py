"""One edit after the other, each kept only when lint and the comparison of verdicts agree with it."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from policyc.analysis.budget import Budget
from policyc.analysis.difference import Change, compare
from policyc.analysis.lint.finding import Finding, Linted
from policyc.analysis.lint.fixing.edits import Edited, edit
from policyc.analysis.lint.run import lint
from policyc.analysis.lint.tool_list import ToolList
from policyc.compiler import compile_tree
from policyc.compiler.presets import shipped_presets
from policyc.engine.plan import Plan
from policyc.source.tree import SourceTree

#: What can be seen only with a list of tools: without it, nothing can be said of a comment that silences it.
_OF_TOOLS = ("unknown_tool", "unknown_argument", "argument_type")


@dataclass(frozen=True, slots=True)
class Fix:
    """``finding`` as it was found, ``said`` what was done; ``changes`` are the verdicts that it changed."""

    finding: Finding
    said: str
    changes: tuple[Change, ...]


@dataclass(slots=True)
class Fixed:
    """``files`` are those that changed, by their path in the bundle; ``linted`` is what is left to say."""

    linted: Linted
    files: dict[str, bytes] = field(default_factory=dict)
    fixes: list[Fix] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _State:
    tree: SourceTree
    plan: Plan
    linted: Linted


def fix(tree: SourceTree, tools: ToolList | None = None) -> Fixed:
    """Mends what lint finds in ``tree``, which compiles, where that is certain: nothing is written.

    Each fix makes its finding go and no other come. What it may change is known: a comment or a redundant
    rule changes no verdict, an escaped dot only tightens what its own rule decides; all of it proved, or not
    done. Fixes have the lines of the files as they were, ``linted`` those of what comes back.
    """
    state = _state(tree, tools)
    assert state is not None
    fixed = Fixed(state.linted)
    while (found := next(_steps(state, tools), None)) is not None:
        state, one = found
        fixed.fixes.insert(0, one)
    fixed.files = {path: data for path, data in state.tree.files.items() if tree.files[path] != data}
    fixed.linted = state.linted
    return fixed


def _state(tree: SourceTree, tools: ToolList | None) -> _State | None:
    compilation = compile_tree(tree, presets=shipped_presets())
    if compilation.data is None:
        return None
    plan = Plan.load(compilation.data)
    return _State(tree, plan, lint(plan, compilation.sources, tools))


def _steps(state: _State, tools: ToolList | None) -> Iterator[tuple[_State, Fix]]:
    # From below, so that the lines of what is above stay.
    for finding in reversed(state.linted.findings):
        if not _is_sure(finding, state.linted, tools):
            continue
        edited = _edited(finding, state.tree)
        after = None if edited is None else _state(edited[0], tools)
        if edited is None or after is None or not _no_other(finding, state.linted, after.linted):
            continue
        changes = _changes(finding, state.plan, after.plan)
        if changes is not None:
            yield after, Fix(finding, edited[1], changes)


def _is_sure(finding: Finding, linted: Linted, tools: ToolList | None) -> bool:
    """A comment silences nothing for sure only when everything that it could silence was looked for."""
    if finding.code != "unused_ignore":
        return True
    of_tools = tools is None and any(code in finding.message for code in _OF_TOOLS)
    return not linted.unknown and not of_tools


def _edited(finding: Finding, tree: SourceTree) -> tuple[SourceTree, str] | None:
    data = tree.files.get(finding.path, b"")
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    text = data[len(mark) :].decode("utf-8")
    ends = "\r\n" if "\r\n" in text else "\n"
    if "\r" in text.replace("\r\n", "") or (ends == "\r\n" and text.count("\n") != text.count("\r\n")):
        return None
    edited: Edited | None = edit(finding, text.replace("\r\n", "\n"))
    if edited is None:
        return None
    changed = mark + edited.text.replace("\n", ends).encode()
    return replace(tree, files={**tree.files, finding.path: changed}), edited.said


def _no_other(finding: Finding, before: Linted, after: Linted) -> bool:
    """Whether the finding is gone and none has come."""
    counts = [Counter(it.code for it in (*linted.findings, *linted.silenced)) for linted in (before, after)]
    counts[0][finding.code] -= 1
    return not counts[1] - counts[0] and len(before.unknown) >= len(after.unknown)


def _changes(finding: Finding, old: Plan, new: Plan) -> tuple[Change, ...] | None:
    """The verdicts that change, or None where they are not those that the fix is about."""
    found = [compare(policy, new.policies[name], budget=Budget()) for name, policy in old.policies.items()]
    changes = tuple(change for each in found for change in each.changes)
    if any(each.unknown for each in found) or not all(_is_expected(finding, change) for change in changes):
        return None
    gone = (finding.path, finding.line) if finding.code == "redundant_rule" else None
    return changes if _labels(new, None) == _labels(old, gone) else None


def _is_expected(finding: Finding, change: Change) -> bool:
    if finding.code != "unescaped_dot" or change.direction != "tightened":
        return False
    rules = [case.rule for case in (change.old, change.new) if case.rule is not None]
    return any((it.source.path, it.source.line) == (finding.path, finding.line) for it in rules)


def _labels(plan: Plan, without: tuple[str, int] | None) -> Mapping[str, list[str]]:
    """The rules that there are, which have no other name afterwards."""
    return {
        name: [it.label for it in policy.rules if (it.source.path, it.source.line) != without]
        for name, policy in plan.policies.items()
    }
