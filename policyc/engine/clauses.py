"""A clause over the arguments: select, test each value, then quantify.

``not`` negates per selected value, before ``match`` applies. A path that selects nothing makes the clause
``on_missing``, whatever ``not`` says; only ``exists`` is a question about the selection itself.
"""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.model import Clause
from policyc.engine.operators import OPERATORS
from policyc.engine.paths import MISSING, compile_singular, is_singular, select

Test = Callable[[object], bool]


def holds(clause: Clause, args: object) -> bool:
    """Whether the clause is true of the arguments: the plain reading of the semantics."""
    values = select(clause.steps, args)
    if clause.op == "exists":
        return (bool(values) is clause.value) is not clause.negated
    if not values:
        return clause.on_missing
    predicate = OPERATORS[clause.op].compile(clause.value)
    answers = [predicate(value) is not clause.negated for value in values]
    return any(answers) if clause.match == "any" else all(answers)


def compile_clause(clause: Clause) -> Test:
    """A function of the arguments that answers as ``holds`` does, with all lookups done beforehand."""
    negated, on_missing = clause.negated, clause.on_missing
    predicate = OPERATORS[clause.op].compile(clause.value)
    if not is_singular(clause.steps):
        return _compile_many(clause, predicate)
    get = compile_singular(clause.steps)
    if clause.op == "exists":
        wanted = clause.value is not negated
        return lambda args: (get(args) is not MISSING) is wanted

    def test(args: object) -> bool:
        value = get(args)
        return on_missing if value is MISSING else predicate(value) is not negated

    return test


def _compile_many(clause: Clause, predicate: Test) -> Test:
    steps, negated, on_missing = clause.steps, clause.negated, clause.on_missing
    if clause.op == "exists":
        wanted = clause.value is not negated
        return lambda args: bool(select(steps, args)) is wanted
    # "any" ends at the first true answer, "all" at the first false one.
    decisive = clause.match == "any"

    def test(args: object) -> bool:
        values = select(steps, args)
        if not values:
            return on_missing
        for value in values:
            if (predicate(value) is not negated) is decisive:
                return decisive
        return not decisive

    return test
