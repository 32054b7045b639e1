"""What is wrong with the value of a key of the operator ``shell``, or None."""

from __future__ import annotations

from policyc.engine.alternatives import alternatives, listed
from policyc.engine.operators import kind
from policyc.engine.path_operator import check as check_globs
from policyc.engine.regex import RegexError, compile_regex

REASONS = ("program", "operand", "flag", "code", "path")


def needs_texts(value: object) -> str | None:
    items = listed(value)
    if not items:
        return "needs a string or a list of strings, not an empty list"
    for item in items:
        if not isinstance(item, str) or not item:
            return (
                f"needs a string or a list of strings, not {kind(item) if item != '' else 'an empty string'}"
            )
    return None


def needs_args(value: object) -> str | None:
    if isinstance(value, str):
        return None if value.split() else "needs at least one word"
    if not isinstance(value, list) or not value:
        return "needs the leading words, e.g. [push] or 'stash drop'"
    return next((said for said in map(needs_texts, value) if said is not None), None)


def needs_flags(value: object) -> str | None:
    problem = needs_texts(value)
    if problem is not None:
        return problem
    for flag in listed(value):
        if str(flag)[0] not in "-+":
            return f"{flag!r} is no flag: write it with its dashes, e.g. -f or --force"
    return None


def needs_globs(value: object) -> str | None:
    problem = needs_texts(value)
    if problem is not None:
        return problem
    wanted, unwanted = alternatives(value)
    return check_globs(wanted + unwanted)


def needs_regexes(value: object) -> str | None:
    problem = needs_texts(value)
    if problem is not None:
        return problem
    for item in listed(value):
        try:
            compile_regex(str(item))
        except RegexError as error:
            return str(error)
    return None


def needs_reasons(value: object) -> str | None:
    items = listed(value)
    if isinstance(value, bool) or (items and all(item in REASONS for item in items)):
        return None
    return f"needs true, false or some of {', '.join(REASONS)}"
