"""Entries on patterns, tool lists and comments."""

from __future__ import annotations

from policyc.source.catalogue.entry import warning

ENTRIES = (
    warning(
        "unanchored_allow",
        "An allow rule's pattern holds wherever it is found in the text.",
        "`regex` searches: whatever stands before or after it passes too.",
        """\
default_verdict: deny
rules:
  - label: reports
    priority: 5
    tool_name_glob: http.get
    args_match:
      clauses:
        - {path: $.address, op: regex, value: 'https://reports\\.example/[a-z]+'}
    verdict: allow
""",
        """\
default_verdict: deny
rules:
  - label: reports
    priority: 5
    tool_name_glob: http.get
    args_match:
      clauses:
        - {path: $.address, op: regex, value: '^https://reports\\.example/[a-z]+$'}
    verdict: allow
""",
    ),
    warning(
        "unescaped_dot",
        "A dot in a host name stands for any character.",
        "Somebody else can own the host that matches too. `host` compares names and needs no escapes.",
        """\
default_verdict: deny
rules:
  - label: api
    priority: 5
    tool_name_glob: http.get
    args_match:
      clauses:
        - {path: $.address, op: regex, value: '^https://api.example.com/.*$'}
    verdict: allow
""",
        """\
default_verdict: deny
rules:
  - label: api
    priority: 5
    tool_name_glob: http.get
    args_match:
      clauses:
        - {path: $.address, op: regex, value: '^https://api\\.example\\.com/.*$'}
    verdict: allow
""",
    ),
    warning(
        "case_sensitive_deny",
        "A rule that stops calls looks for words of a language that takes them in any case.",
        "`drop table` and `DROP TABLE` are the same to a database.",
        """\
default_verdict: audit
rules:
  - label: no drops
    priority: 5
    tool_name_glob: db.*
    args_match:
      clauses:
        - {path: $.sql, op: regex, value: 'drop\\s+table', on_missing: match}
    verdict: deny
""",
        """\
default_verdict: audit
rules:
  - label: no drops
    priority: 5
    tool_name_glob: db.*
    args_match:
      clauses:
        - {path: $.sql, op: regex, value: '(?i)drop\\s+table', on_missing: match}
    verdict: deny
""",
    ),
    warning(
        "unknown_tool",
        "With `--tools`: a glob covers no tool of the list and none of an agent.",
        "The rule does nothing, often for a letter.",
        "",
        "",
    ),
    warning(
        "unknown_argument",
        "With `--tools`: no tool that the rule covers has the argument.",
        "Such a clause is always what a missing value makes it.",
        "",
        "",
    ),
    warning(
        "argument_type",
        "With `--tools`: the operator never holds for an argument of that type.",
        "`gt` compares numbers and `regex` searches texts; a value of another type makes the clause false.",
        "",
        "",
    ),
    warning(
        "ignore_without_reason",
        "A comment that would silence a finding says no reason.",
        "The finding stands until it does.",
        """\
default_verdict: deny # policyc: ignore[shadow_on]
shadow: true
rules: []
""",
        """\
default_verdict: deny # policyc: ignore[shadow_on] on trial until the pilot ends
shadow: true
rules: []
""",
    ),
    warning(
        "unused_ignore",
        "A comment silences nothing.",
        "What it was for is gone, or its code is misspelt: take it away.",
        """\
default_verdict: deny # policyc: ignore[shadow_on] on trial until the pilot ends
rules: []
""",
        """\
default_verdict: deny
rules: []
""",
    ),
)
