"""What there is to say about the value of a clause: the checks of each operator in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from policyc.compiler.patterns import pattern_problem, written_value
from policyc.engine.addresses import AddressError, parse_network
from policyc.engine.operators import OPERATORS
from policyc.engine.regex import RegexError
from policyc.engine.shell import KEYS
from policyc.source.diagnostics import JsonPath
from policyc.source.suggest import did_you_mean
from policyc.source.wording import shortened


@dataclass(frozen=True, slots=True)
class Remark:
    """What there is to say about a value: an error when the engine refuses it, else a warning.

    ``below`` is where in the value; ``on_key`` points at the key there.
    """

    code: str
    message: str
    hint: str | None = None
    below: JsonPath = ()
    on_key: bool = False


def _refused(code: str) -> Callable[[str, Any], Iterator[Remark]]:
    """The engine's own check, under ``code``."""

    def check(op: str, value: Any) -> Iterator[Remark]:
        problem = OPERATORS[op].check(value)
        if problem is not None:
            yield Remark(code, f"`{op}` {problem}", _hint(op, value))

    return check


def _hint(op: str, value: Any) -> str | None:
    if op == "in" and not isinstance(value, (list, dict)):
        return (
            f"write a list: [{value}]"
            if isinstance(value, (str, int)) and not isinstance(value, bool)
            else None
        )
    if op == "eq" and isinstance(value, list):
        return "use `in` for one of several values"
    if op in ("gt", "gte", "lt", "lte") and isinstance(value, str):
        return "write the number without quotes"
    if op in ("contains", "starts_with", "ends_with") and not isinstance(value, (list, dict)):
        return "quote it if it is meant as text"
    return None


def _text(op: str, value: Any) -> Iterator[Remark]:
    yield from _refused("needs_string")(op, value)
    if value == "":
        yield Remark(
            "matches_every_text", f"every string matches `{op}` with an empty string", "use `exists`"
        )


def _regex(op: str, value: Any) -> Iterator[Remark]:
    if not isinstance(value, str) or value == "":
        yield from _text(op, value)
        return
    problem = pattern_problem(value)
    if problem is not None:
        yield Remark("bad_regex", f"the pattern cannot be used: {problem}", _regex_hint(problem))


def _regex_hint(problem: str) -> str:
    if "look" in problem:
        return "split it: a second clause on the same path, with `not: true` for what must not be there"
    if "backreference" in problem:
        return "write out what may repeat"
    return "the syntax is RE2's: github.com/google/re2/wiki/Syntax"


def _in(op: str, value: Any) -> Iterator[Remark]:
    yield from _refused("in_needs_list")(op, value)
    if value == []:
        yield Remark(
            "in_list_empty", "nothing is in an empty list", "list what is meant, or remove the clause"
        )


def _cidr(op: str, value: Any) -> Iterator[Remark]:
    blocks = value if isinstance(value, list) and value else [value]
    for block in blocks:
        problem = OPERATORS[op].check(block)
        if problem is not None:
            shown = f"`{block}`: " if isinstance(block, str) else ""
            message = f"{shown}{problem}" if shown else f"`{op}` {problem}"
            yield Remark("bad_cidr", message, "write an address and a prefix length, such as 10.0.0.0/8")
        elif parse_network(block).host_bits_set:
            yield _host_bits(block)


def _host_bits(block: str, below: JsonPath = ()) -> Remark:
    message = f"`{block}` has bits set behind its prefix"
    return Remark("cidr_host_bits", message, _without_host_bits(block), below)


def _without_host_bits(block: str) -> str | None:
    import ipaddress

    try:
        return f"it is the block {ipaddress.ip_network(block, strict=False)}"
    except (ValueError, AddressError):  # IPv4-mapped forms that the standard library reads otherwise
        return None


def _path(op: str, value: Any) -> Iterator[Remark]:
    for entry, below in _entries(value):
        problem = OPERATORS[op].check(entry)
        if problem is not None:
            yield Remark("bad_path_glob", _of_entry(op, entry, problem), _PATH_HINT, below)


def _host(op: str, value: Any) -> Iterator[Remark]:
    for entry, below in _entries(value):
        problem = OPERATORS[op].check(entry)
        if problem is not None:
            yield Remark("bad_host", _of_entry(op, entry, problem), _HOST_HINT, below)
        elif "/" in entry and parse_network(entry).host_bits_set:
            yield _host_bits(entry, below)


def _entries(value: Any) -> Iterator[tuple[Any, JsonPath]]:
    """Each entry of a list and its place; of anything else, and of an empty list, the value itself."""
    if isinstance(value, list) and value:
        yield from ((entry if isinstance(entry, str) else [entry], (n,)) for n, entry in enumerate(value))
    else:
        yield value, ()


def _of_entry(op: str, entry: Any, problem: str) -> str:
    said = problem.removeprefix(f"{entry!r}: ")
    return f"`{op}` {problem}" if said == problem else f"`{shortened(entry) or repr(entry)}`: {said}"


#: The keys of a `shell` value that speak another language, and the code of a mistake in it.
_SHELL_CODES = {**dict.fromkeys(("deletes", "writes", "reads"), "bad_path_glob"), "code": "bad_regex"}


def _shell(op: str, value: Any) -> Iterator[Remark]:
    if not isinstance(value, dict) or not value:
        hint = "write what the command does, such as {program: rm, all_flags: [-r, -f]}"
        yield Remark("bad_shell", f"`{op}` {OPERATORS[op].check(value)}", hint)
        return
    for key, expected in value.items():
        if key not in KEYS:
            left = [name for name in KEYS if name not in value]
            message = f"`{shortened(key)}` is no key of a `shell` value"
            yield Remark("unknown_shell_key", message, did_you_mean(key, left), (key,), on_key=True)
            continue
        problem = _key_problem(op, key, expected)
        if problem is not None:
            code = "bad_shell" if problem.startswith("needs ") else _SHELL_CODES.get(key, "bad_shell")
            yield Remark(code, f"`{key}`: {problem}", _SHELL_HINTS.get(code), (key,))


def _key_problem(op: str, key: str, expected: Any) -> str | None:
    try:
        return KEYS[key].check(written_value(op, {key: expected})[key])
    except RegexError as error:
        return str(error)


_PATH_HINT = "globs are `*`, `?` and `**`, such as ~/.ssh/**, .env or /etc/**"
_HOST_HINT = "write a name, *.name, an address or a block, such as *.example.com or 10.0.0.0/8"
_SHELL_HINTS = {
    "bad_path_glob": _PATH_HINT,
    "bad_regex": "the syntax is RE2's: github.com/google/re2/wiki/Syntax",
}


CHECKS: dict[str, Callable[[str, Any], Iterator[Remark]]] = {
    "eq": _refused("eq_needs_scalar"),
    "contains": _text,
    "starts_with": _text,
    "ends_with": _text,
    "regex": _regex,
    "in": _in,
    "cidr_match": _cidr,
    **dict.fromkeys(("gt", "gte", "lt", "lte"), _refused("needs_number")),
    "exists": _refused("needs_bool"),
    "path": _path,
    "host": _host,
    "shell": _shell,
}
