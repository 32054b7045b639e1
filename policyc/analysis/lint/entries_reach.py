"""Entries on rules and policies that decide too little or too much."""

from __future__ import annotations

from policyc.source.catalogue.entry import warning

ENTRIES = (
    warning(
        "unreachable_rule",
        "Earlier rules take every call that the rule could match.",
        "It never decides: whoever reads it believes in a rule that is not there.",
        """\
default_verdict: deny
rules:
  - {priority: 5, label: all of crm, tool_name_glob: crm.*, verdict: allow}
  - {priority: 6, label: reads, tool_name_glob: crm.get*, verdict: audit}
""",
        """\
default_verdict: deny
rules:
  - {priority: 5, label: reads, tool_name_glob: crm.get*, verdict: audit}
  - {priority: 6, label: all of crm, tool_name_glob: crm.*, verdict: allow}
""",
    ),
    warning(
        "allow_hides_deny",
        "Rules that let calls pass take every call of a later rule that would stop them.",
        "The broader rule comes first, so the narrower one never decides.",
        """\
default_verdict: deny
rules:
  - {priority: 5, label: all of crm, tool_name_glob: crm.*, verdict: allow}
  - {priority: 6, label: no deletes, tool_name_glob: crm.delete*, verdict: deny}
""",
        """\
default_verdict: deny
rules:
  - {priority: 5, label: no deletes, tool_name_glob: crm.delete*, verdict: deny}
  - {priority: 6, label: all of crm, tool_name_glob: crm.*, verdict: allow}
""",
    ),
    warning(
        "never_matches",
        "No call can match the rule.",
        "Its conditions exclude each other, or one of them excludes everything.",
        """\
default_verdict: allow
rules:
  - label: odd amounts
    priority: 5
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount, op: gt, value: 100}
        - {path: $.amount, op: lt, value: 50}
    verdict: audit
""",
        """\
default_verdict: allow
rules:
  - label: odd amounts
    priority: 5
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount, op: gt, value: 50}
        - {path: $.amount, op: lt, value: 100}
    verdict: audit
""",
    ),
    warning(
        "redundant_rule",
        "Without the rule every verdict would be the same.",
        "What follows says the same of all its calls. Rules with a reason or risk factors are not reported.",
        """\
default_verdict: deny
rules:
  - {priority: 5, label: reads, tool_name_glob: crm.get*, verdict: allow}
  - {priority: 6, label: crm, tool_name_glob: crm.*, verdict: allow}
""",
        """\
default_verdict: deny
rules:
  - {priority: 6, label: crm, tool_name_glob: crm.*, verdict: allow}
""",
    ),
    warning(
        "fails_open",
        "A rule that stops a call lets it pass when the argument is missing or of another type.",
        "A path that selects nothing, or a value of another type, makes a clause false. The call in the "
        "message passes. Arguments that adapters set (`command`, `path`, `content`, `url`) are not reported.",
        """\
default_verdict: allow
rules:
  - label: cap
    priority: 5
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount, op: gt, value: 100}
    verdict: deny
  - {priority: 6, label: log, tool_name_glob: payment.*, verdict: audit}
""",
        """\
default_verdict: allow
rules:
  - label: cap
    priority: 5
    tool_name_glob: payment.*
    args_match:
      clauses:
        - {path: $.amount, op: lte, value: 100, not: true, on_missing: match}
    verdict: deny
  - {priority: 6, label: log, tool_name_glob: payment.*, verdict: audit}
""",
    ),
    warning(
        "default_allow",
        "The policy allows what it does not name, and its rules only stop calls.",
        "A list of what is forbidden is never complete: a tool that comes later passes unseen.",
        """\
default_verdict: allow
rules:
  - {priority: 5, label: no deploys, tool_name_glob: deploy.*, verdict: deny}
""",
        """\
default_verdict: audit
rules:
  - {priority: 5, label: no deploys, tool_name_glob: deploy.*, verdict: deny}
""",
    ),
    warning(
        "shadow_on",
        "A policy that governs agents is in shadow: it blocks nothing.",
        "Shadow is for a trial. Left on, it looks like protection.",
        """\
shadow: true
default_verdict: deny
rules: []
""",
        """\
default_verdict: deny
rules: []
""",
    ),
)
