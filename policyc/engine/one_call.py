"""One call under a plan that was just read: only what this call needs is read, checked and compiled.

The evaluator of a server (evaluate.py) prepares a plan for many calls. A process that decides one call would
spend nearly all of its time on rules about other tools, and about other commands.
"""

from __future__ import annotations

from policyc.engine.documents import parse_own
from policyc.engine.globs import matches
from policyc.engine.model import Call, Outcome, Rule
from policyc.engine.outcomes import no_policy_outcome, of_all
from policyc.engine.plan import Outline, governing, read_rule
from policyc.engine.text import clean
from policyc.engine.walk import decide_by

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable, Iterator

    #: Rules of the same tools and stages: ``tools``, ``stages``, ``asks`` (operators), ``rules`` (numbers),
    #: and ``commands``, the line with the index (shell_index.py) of those that a command line finds, if any.
    Group = dict[str, object]


def decide_one(plan: object, call: Call, look_around: Callable[[Call, bool], None]) -> Outcome:
    """The outcome for ``call``, equal to the evaluator's.

    ``plan`` is data that the compiler wrote and checked: its shape is looked at again, values in it are not.
    With ``groups`` (compiler/grouping.py) and its rules as text in ``lines``, most are never read.

    ``look_around(part, links)`` is called where a rule asks about files, to add what the machine says to a
    part of the call; ``links`` is whether what links lead to matters.
    Raises PlanError where something that this call needs cannot be used; the rest is not looked at.
    """
    outline = Outline(plan)
    name = governing(outline.bindings, outline.default_policy, call.agent)
    if name is None:
        return no_policy_outcome()
    policy, rules, path = outline.policy(name)
    lines: list[object] = outline.data.get("lines") or rules  # type: ignore[assignment]
    groups: list[Group] = outline.data.get("groups") or [_group(n, rule) for n, rule in enumerate(rules)]  # type: ignore[assignment]
    if outline.meta_tools:
        from policyc.engine.meta_tools import opened  # most plans have none

        call = opened(outline.meta_tools, call)
    outcomes = []
    for part in call.parts:
        names = [clean(name) for name in part.names]
        covering = [group for group in groups if _covers(group, part.stage, names)]
        asks = {op for group in covering for op in group["asks"]}  # type: ignore[attr-defined]
        if asks:
            look_around(part, "path" in asks)
        numbers = sorted({number for group in covering for number in _numbers(group, lines, part)})
        outcomes.append(decide_by(_read(lines, numbers, path), policy, part))
    return of_all(outcomes) if call.more else outcomes[0]


def _read(lines: list[object], numbers: list[int], path: str) -> Iterator[Rule]:
    """The rules as the walk comes to them: those after the one that decides are never read."""
    for n in numbers:
        raw = lines[n]
        yield read_rule(parse_own(raw) if isinstance(raw, str) else raw, f"{path}[{n}]", is_own=True)


def _numbers(group: Group, lines: list[object], call: Call) -> list[int]:
    """The rules of the group that may match the call."""
    numbers: list[int] = group["rules"]  # type: ignore[assignment]
    command = call.args.get("command") if isinstance(call.args, dict) else None
    if group["commands"] is None or not isinstance(command, (str, list)):
        return numbers
    from policyc.engine.shell_clauses import facts_of
    from policyc.engine.shell_index import lookup

    index = parse_own(lines[group["commands"]])  # type: ignore[call-overload]
    return [*numbers, *lookup(index, facts_of(call, command))]  # type: ignore[arg-type]


def _covers(group: Group, stage: str, names: list[str]) -> bool:
    """Whether a rule of the group may match a tool of these names."""
    stages, tools = group["stages"], group["tools"]
    if isinstance(stages, list) and stage not in stages:
        return False
    if not isinstance(tools, list) or not all(isinstance(glob, str) for glob in tools):
        return True
    return any(matches(glob, name) for glob in tools for name in names)


def _group(number: int, rule: object) -> Group:
    """The group of one rule, in a plan that has none. What is no rule is read, and so refused."""
    data = rule if isinstance(rule, dict) else {}
    clauses = data.get("clauses")
    clauses = clauses if isinstance(clauses, list) else []
    ops = [clause.get("op") for clause in clauses if isinstance(clause, dict)]
    return {
        "stages": data.get("stages"),
        "tools": data.get("tools"),
        "asks": [op for op in ops if op in OF_FILES],
        "rules": [number],
        "commands": None,
    }


#: Operators that ask which files a call is about.
OF_FILES = ("path", "shell")
