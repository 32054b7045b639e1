"""A clause over a call's arguments: select, test each value, then quantify.

Answers are True, False, or None for unknown. ``not`` negates per selected value, before ``match`` applies.
A path that selects nothing makes the clause ``on_missing``, whatever ``not`` says; only ``exists`` is a
question about the selection itself. ``unknown: match | no_match`` settles an unknown answer last.
"""

from __future__ import annotations

from policyc.engine.kleene import all_of, any_of, negated
from policyc.engine.model import Call, Clause
from policyc.engine.operators import OPERATORS
from policyc.engine.paths import MISSING, compile_singular, is_singular, select

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable

    Test = Callable[[Call], "bool | None"]

    #: A predicate on one selected value of a call, ``not`` applied.
    ValueTest = Callable[[object, Call], "bool | None"]

_DUAL = {"any": "all", "all": "any"}


def holds(clause: Clause, call: Call) -> bool | None:
    """Whether the clause is true of the call: the plain reading of the semantics."""
    values = _selected(clause, call)
    if clause.op == "exists":
        return (bool(values) is clause.value) is not clause.negated
    if not values:
        return clause.on_missing
    test = _value_test(clause)
    answers = [test(value, call) for value in values]
    return _settled(any_of(answers) if clause.match == "any" else all_of(answers), clause)


def _selected(clause: Clause, call: Call) -> list[object]:
    values = select(clause.steps, call.args)
    if not values and clause.op == "path" and call.command_line is not None:
        # A shell names its files on the command line: one rule on `$.path` covers read_file and cat.
        return [call.command_line]
    return values


def compile_clause(clause: Clause) -> Test:
    """A function of the call that answers as ``holds`` does, with all lookups done beforehand."""
    if clause.op == "exists":
        return _compile_exists(clause)
    if OPERATORS[clause.op].may_be_unknown:
        return _compile_unsure(clause)
    negate, on_missing = clause.negated, clause.on_missing
    predicate = OPERATORS[clause.op].compile(clause.value)
    if not is_singular(clause.steps):
        return _compile_many(clause, predicate)
    get = compile_singular(clause.steps)

    def test(call: Call) -> bool:
        value = get(call.args)
        return on_missing if value is MISSING else predicate(value) is not negate

    return test


def _value_test(clause: Clause) -> ValueTest:
    operator = OPERATORS[clause.op]
    negate = clause.negated
    if not operator.may_be_unknown:
        predicate = operator.compile(clause.value)
        return lambda value, _call: predicate(value) is not negate
    # Such an operator quantifies over parts of one value (the commands of a line, the spellings of a
    # path), and `not` comes before that too: all are not = not any is.
    judge = operator.compile(clause.value)
    inner = _DUAL[clause.match] if negate else clause.match
    if negate:
        return lambda value, call: negated(judge(value, call, inner))
    return lambda value, call: judge(value, call, inner)


def _settled(answer: bool | None, clause: Clause) -> bool | None:
    return clause.when_unknown if answer is None else answer


def _compile_exists(clause: Clause) -> Test:
    steps = clause.steps
    wanted = clause.value is not clause.negated
    if not is_singular(steps):
        return lambda call: bool(select(steps, call.args)) is wanted
    get = compile_singular(steps)
    return lambda call: (get(call.args) is not MISSING) is wanted


def _compile_unsure(clause: Clause) -> Test:
    on_missing, when_unknown = clause.on_missing, clause.when_unknown
    test_value = _value_test(clause)
    if is_singular(clause.steps) and clause.op != "path":
        get = compile_singular(clause.steps)

        def test_one(call: Call) -> bool | None:
            value = get(call.args)
            if value is MISSING:
                return on_missing
            answer = test_value(value, call)
            return when_unknown if answer is None else answer

        return test_one
    quantify = any_of if clause.match == "any" else all_of

    def test(call: Call) -> bool | None:
        values = _selected(clause, call)
        if not values:
            return on_missing
        return _settled(quantify(test_value(value, call) for value in values), clause)

    return test


def _compile_many(clause: Clause, predicate: Callable[[object], object]) -> Test:
    steps, negate, on_missing = clause.steps, clause.negated, clause.on_missing
    # "any" ends at the first true answer, "all" at the first false one.
    decisive = clause.match == "any"

    def test(call: Call) -> bool:
        values = select(steps, call.args)
        if not values:
            return on_missing
        for value in values:
            if (predicate(value) is not negate) is decisive:
                return decisive
        return not decisive

    return test
