"""Problems of clauses."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error, warning


def _rule(clause: str) -> str:
    return f"- priority: 1\n  args_match:\n    clauses:\n      - {{{clause}}}\n  verdict: deny\n"


def _bundle(values: str, clause: str) -> str:
    return f"-- bundle.yaml --\nbundle: x\n-- values.yaml --\n{values}-- policies/x.yaml --\n{_rule(clause)}"


ENTRIES: tuple[Entry, ...] = (
    error(
        "bad_jsonpath",
        "A path that cannot be used",
        "A path starts with `$` and has fields, indexes, slices, wildcards and descents. Filters, unions, "
        "scripts, `parent` and `where` are not part of it. A field with other characters than letters, "
        "digits, `_` and `-` is written `$['a b']`.",
        _rule("path: amount, op: gt, value: 1"),
        _rule("path: $.amount, op: gt, value: 1"),
    ),
    error(
        "bad_regex",
        "A pattern that RE2 does not take",
        "Patterns are matched in linear time, so there are no lookarounds, backreferences, possessive "
        "quantifiers or atomic groups (https://github.com/google/re2/wiki/Syntax).",
        _rule("path: $.command, op: regex, value: 'rm (?!-i)'"),
        _rule("path: $.command, op: regex, value: 'rm +-[a-z]*f'"),
    ),
    error(
        "bad_cidr",
        "Not a block of addresses",
        "`cidr_match` takes a block such as `10.0.0.0/8` or `fc00::/7`, or a list of blocks.",
        _rule("path: $.ip, op: cidr_match, value: 10.0.0.0/33"),
        _rule("path: $.ip, op: cidr_match, value: 10.0.0.0/8"),
    ),
    warning(
        "cidr_host_bits",
        "A block with host bits set",
        "Bits behind the prefix are ignored: `10.1.2.3/8` is the block `10.0.0.0/8`. Was a longer prefix "
        "meant?",
        _rule("path: $.ip, op: cidr_match, value: 10.1.2.3/8"),
        _rule("path: $.ip, op: cidr_match, value: 10.0.0.0/8"),
    ),
    error(
        "bad_path_glob",
        "Not a path glob",
        "`path`, and `deletes`, `writes` and `reads` of `shell`, take a glob or a list of them: `*` and `?` "
        "within one name, `**` for any number of folders, alone between slashes. `.env` is one at any depth, "
        "`/etc/**` starts at the root, `~/.ssh/**` in a home, `./src/**` in the working folder.",
        _rule("path: $.path, op: path, value: ['~/.ssh**']"),
        _rule("path: $.path, op: path, value: ['~/.ssh/**']"),
    ),
    error(
        "bad_host",
        "Not a host",
        "`host`, and the lists of `egress`, take names, `*.name` for all names below one, addresses and "
        "blocks of addresses: no scheme, no port, no path.",
        _rule("path: $.url, op: host, value: 'https://example.com/'"),
        _rule("path: $.url, op: host, value: [example.com, '*.example.com']"),
    ),
    error(
        "bad_shell",
        "Not a `shell` value",
        "`shell` takes a mapping that says what one command of the line does, such as "
        "`{program: git, args: [push], any_flag: --force}`. Flags have their dashes.",
        _rule("path: $.command, op: shell, value: {program: rm, all_flags: [r, f]}"),
        _rule("path: $.command, op: shell, value: {program: rm, all_flags: [-r, -f]}"),
    ),
    error(
        "unknown_shell_key",
        "An unknown key of a `shell` value",
        "The keys are `program`, `args`, `all_flags`, `any_flag`, `no_flag`, `operand`, `deletes`, `writes`, "
        "`reads`, `pipes_to`, `code` and `dynamic`.",
        _rule("path: $.command, op: shell, value: {program: rm, any_flags: -f}"),
        _rule("path: $.command, op: shell, value: {program: rm, any_flag: -f}"),
    ),
    error(
        "never_unknown",
        "`unknown` on an operator that always knows",
        "`path`, `host` and `shell` may be unable to tell, and `unknown` says what the clause is then. The "
        "other operators are true or false of every value.",
        _rule("path: $.command, op: regex, value: '^rm ', unknown: match"),
        _rule("path: $.command, op: shell, value: {program: rm}, unknown: match"),
    ),
    error(
        "in_needs_list",
        "`in` without a list",
        "`in` takes a list of strings, numbers, bools or nulls.",
        _rule("path: $.env, op: in, value: production"),
        _rule("path: $.env, op: in, value: [production]"),
    ),
    warning(
        "in_list_empty",
        "`in` with an empty list",
        "Nothing is in an empty list, so the clause is never true (with `not`, always).",
        _rule("path: $.env, op: in, value: []"),
        _rule("path: $.env, op: in, value: [production]"),
    ),
    error(
        "eq_needs_scalar",
        "`eq` with a list or mapping",
        "`eq` compares with a string, a number, a bool or null. For one of several values use `in`.",
        _rule("path: $.env, op: eq, value: [production]"),
        _rule("path: $.env, op: eq, value: production"),
    ),
    error(
        "needs_number",
        "A comparison with something that is no number",
        "`gt`, `gte`, `lt` and `lte` compare numbers; a string is never coerced.",
        _rule("path: $.amount, op: gt, value: '100'"),
        _rule("path: $.amount, op: gt, value: 100"),
    ),
    error(
        "needs_string",
        "A text operator with something that is no string",
        "`contains`, `starts_with`, `ends_with` and `regex` take a string.",
        _rule("path: $.query, op: contains, value: 12"),
        _rule("path: $.query, op: contains, value: '12'"),
    ),
    error(
        "needs_bool",
        "`exists` with something that is no bool",
        "`exists` takes `true` (the default) or `false`.",
        _rule("path: $.token, op: exists, value: 'yes'"),
        _rule("path: $.token, op: exists, value: true"),
    ),
    warning(
        "matches_every_text",
        "A text operator that matches every string",
        "The empty string is part of every string, so the clause only tests whether there is one.",
        _rule("path: $.query, op: contains, value: ''"),
        _rule("path: $.query, op: exists"),
    ),
    warning(
        "no_effect",
        "A key without effect",
        "`exists` is about whether the path selects anything, so `on_missing` and `match` have no effect "
        "on it.",
        _rule("path: $.token, op: exists, on_missing: match"),
        _rule("path: $.token, op: exists, value: false"),
    ),
    error(
        "bad_value_reference",
        "A value that is no reference",
        "A mapping as `value` is `{from: name}`, with a name of `values.yaml` and nothing else; only `shell` "
        "takes another one, and `{from: name}` for the value of a key in it.",
        _rule("path: $.host, op: in, value: {values: prod_hosts}"),
        _bundle("prod_hosts: [db1]\n", "path: $.host, op: in, value: {from: prod_hosts}"),
    ),
    error(
        "unknown_value",
        "A value that is not in values.yaml",
        "`{from: name}` takes the value `name` of the bundle's `values.yaml`.",
        _bundle("prod_hosts: [db1]\n", "path: $.host, op: in, value: {from: prod_host}"),
        _bundle("prod_hosts: [db1]\n", "path: $.host, op: in, value: {from: prod_hosts}"),
    ),
)
