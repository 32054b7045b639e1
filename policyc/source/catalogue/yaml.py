"""Problems of YAML and JSON as formats."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error

_GOOD = "- {priority: 1, verdict: deny}\n"
_LAUGHS = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 8))
_DEEP = "- priority: 1\n  verdict: deny\n  notes: " + "[" * 60 + "]" * 60 + "\n"

ENTRIES: tuple[Entry, ...] = (
    error(
        "syntax_error",
        "Neither YAML nor JSON",
        "The file cannot be parsed. Common causes: a value that starts with `*`, `&`, `@` or `%`, or has "
        "`: ` in it, without quotes; tabs as indentation; a regular expression in double quotes.",
        "- {priority: 1, tool_name_glob: *.read, verdict: allow}\n",
        "- {priority: 1, tool_name_glob: '*.read', verdict: allow}\n",
    ),
    error(
        "empty_file",
        "The file is empty",
        "There is nothing in the file, or only comments. A policy without rules is `[]`.",
        "# to be written\n",
        "[]\n",
    ),
    error(
        "several_documents",
        "Several documents in one file",
        "A file holds one document; a second one after `---` would be easy to overlook.",
        _GOOD + "---\n- {priority: 2, verdict: allow}\n",
        "---\n" + _GOOD,
    ),
    error(
        "duplicate_key",
        "A key is there twice",
        "Other readers keep one of the two, and not all the same one.",
        "- {priority: 1, verdict: deny, verdict: allow}\n",
        _GOOD,
    ),
    error(
        "key_not_text",
        "A key is not a string",
        "Keys are strings. Quote a key that looks like something else.",
        "- {priority: 1, verdict: deny, 1: x}\n",
        _GOOD,
    ),
    error(
        "merge_key",
        "A merge key",
        "`<<` is an extension of YAML 1.1 that hides what a rule says from a reader. Write the keys out; "
        "whole values can be shared with an anchor and an alias.",
        "- &base {priority: 1, verdict: deny}\n- {<<: *base, label: second}\n",
        "- {priority: 1, verdict: deny, risk_factors: &factors [money]}\n"
        "- {priority: 2, verdict: deny, risk_factors: *factors}\n",
    ),
    error(
        "explicit_tag",
        "An explicit tag",
        "Types follow from how a value is written (YAML 1.2 core schema); tags such as `!!str` or `!env` "
        "are not taken.",
        "- {priority: 1, verdict: deny, label: !!str 12}\n",
        "- {priority: 1, verdict: deny, label: '12'}\n",
    ),
    error(
        "unknown_alias",
        "An alias without its anchor",
        "`*name` stands for a value that was anchored as `&name` further up. A glob that starts with `*` "
        "must be quoted.",
        "- {priority: 1, tool_name_glob: *_file, verdict: deny}\n",
        "- {priority: 1, tool_name_glob: '*_file', verdict: deny}\n",
    ),
    error(
        "recursive_alias",
        "An alias inside its own anchor",
        "The value would contain itself.",
        "- {priority: 1, verdict: deny, risk_factors: &a [*a]}\n",
        "- {priority: 1, verdict: deny, risk_factors: [money]}\n",
    ),
    error(
        "alias_bomb",
        "Aliases expand to too much",
        "With its aliases expanded the file has more than 1,000,000 values: a few lines that would cost "
        "minutes and gigabytes.",
        "l0: &l0 [x, x, x, x, x, x, x, x, x]\n" + _LAUGHS,
        _GOOD,
    ),
    error(
        "too_many_values",
        "Too many values in one file",
        "A file may have 1,000,000 values; split it.",
        "# more than 1,000,000 values",
        _GOOD,
    ),
    error(
        "too_deep",
        "Nested too deeply",
        "A file may have 50 levels of nesting; a rule needs eight.",
        _DEEP,
        _GOOD,
    ),
    error(
        "not_finite",
        "A number that is not finite",
        "Infinity, NaN and numbers beyond the range of a double are no JSON, and comparing with them is a "
        "mistake.",
        "- priority: 1\n  args_match: {clauses: [{path: $.amount, op: gt, value: 1e999}]}\n  verdict: deny\n",
        "- priority: 1\n  args_match: {clauses: [{path: $.amount, op: gt, value: 1e9}]}\n  verdict: deny\n",
    ),
    error(
        "number_too_long",
        "An integer that is too long",
        "Integers are exact up to 4,300 digits.",
        "# value: 1000... (more than 4,300 digits)",
        _GOOD,
    ),
    error(
        "lone_surrogate",
        "Half of a surrogate pair",
        "`\\ud800` to `\\udfff` are no characters on their own.",
        '[{"priority": 1, "verdict": "deny", "reason": "\\ud83d"}]\n',
        '[{"priority": 1, "verdict": "deny", "reason": "\\ud83d\\ude00"}]\n',
    ),
    error(
        "too_many_problems",
        "Too many problems in one file",
        "Only the first 1,000 problems of a file are shown.",
        "# more than 1,000 problems",
        _GOOD,
    ),
)
