"""One call under a plan that was just read: only what this call needs is checked and compiled.

The evaluator of a server (evaluate.py) prepares a plan for many calls. A process that decides one call would
spend nearly all of its time on rules about other tools.
"""

from __future__ import annotations

from policyc.engine.globs import matches
from policyc.engine.model import Call, Clause, Outcome, Rule
from policyc.engine.outcomes import no_policy_outcome, of_all
from policyc.engine.paths import select
from policyc.engine.plan import Outline, governing, read_rule
from policyc.engine.text import clean
from policyc.engine.walk import decide_by

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable, Iterator

#: Operators that ask which files a call is about.
_OF_FILES = ("path", "shell")


def decide_one(plan: object, call: Call, look_around: Callable[[Call], None]) -> Outcome:
    """The outcome for ``call``, equal to the evaluator's.

    ``plan`` is data that the compiler wrote and checked: its shape is looked at again, values in it are not.

    ``look_around`` is called where a rule asks about files, to add what the disk says to a part of the call.
    Raises PlanError where something that this call needs cannot be used; the rest is not looked at.
    """
    outline = Outline(plan)
    name = governing(outline.bindings, outline.default_policy, call.agent)
    if name is None:
        return no_policy_outcome()
    policy, rules, path = outline.policy(name)
    outcomes = []
    for part in call.parts:
        names = [clean(name) for name in part.names]
        covering = [(n, rule) for n, rule in enumerate(rules) if _covers(rule, part.stage, names)]
        if any(_asks_about_files(rule) for _n, rule in covering):
            look_around(part)
        outcomes.append(decide_by(_read(covering, path, part), policy, part))
    return of_all(outcomes) if call.more else outcomes[0]


def _read(rules: list[tuple[int, object]], path: str, call: Call) -> Iterator[Rule]:
    """The rules as the walk comes to them: those after the one that decides are never compiled, nor are
    those on programs that the call does not run."""
    for n, raw in rules:
        rule = read_rule(raw, f"{path}[{n}]", is_own=True)
        if not any(clause.op == "shell" and _runs_none_of_its(clause, call) for clause in rule.clauses):
            yield rule


def _runs_none_of_its(clause: Clause, call: Call) -> bool:
    """Whether the clause is certainly false because of the programs that it is about."""
    from policyc.engine.shell_clauses import facts_of
    from policyc.engine.shell_groups import programs_of

    programs = programs_of(clause)
    commands = [] if programs is None else select(clause.steps, call.args)
    if programs is None or not commands or not isinstance(commands[0], (str, list)):
        return False
    facts = facts_of(call, commands[0])
    return facts.unknown is None and facts.programs is not None and facts.programs.isdisjoint(programs)


def _covers(rule: object, stage: str, names: list[str]) -> bool:
    """Whether the rule may match a tool of these names; what is no rule is read, and so refused."""
    if not isinstance(rule, dict):
        return True
    stages, tools = rule.get("stages"), rule.get("tools")
    if isinstance(stages, list) and stage not in stages:
        return False
    if not isinstance(tools, list) or not all(isinstance(glob, str) for glob in tools):
        return True
    return any(matches(glob, name) for glob in tools for name in names)


def _asks_about_files(rule: object) -> bool:
    clauses = rule.get("clauses") if isinstance(rule, dict) else None
    return isinstance(clauses, list) and any(
        isinstance(clause, dict) and clause.get("op") in _OF_FILES for clause in clauses
    )
