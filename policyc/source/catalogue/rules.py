"""Problems of rules that need more than their shape."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error, warning

ENTRIES: tuple[Entry, ...] = (
    error(
        "duplicate_label",
        "Two rules with the same label",
        "Decisions and logs name a rule by its label, so a label is unique in a policy, its included and "
        "base rules among them.",
        "- {priority: 1, label: no shell, tool_name_glob: 'shell.*', verdict: deny}\n"
        "- {priority: 2, label: no shell, tool_name_glob: 'bash.*', verdict: deny}\n",
        "- {priority: 1, label: no shell, tool_name_glob: 'shell.*', verdict: deny}\n"
        "- {priority: 2, label: no bash, tool_name_glob: 'bash.*', verdict: deny}\n",
    ),
    error(
        "unprintable",
        "A name that cannot be shown",
        "Labels and reason codes are printed in decisions, logs and terminals, so they are one line of "
        "printable text: a line break or an escape sequence in one could pass for another answer.",
        '- {priority: 1, label: "no shell\\e[31m", verdict: deny}\n',
        "- {priority: 1, label: no shell, verdict: deny}\n",
    ),
    error(
        "approval_on_egress",
        "A hold where nothing can wait",
        "`pending_approval` cannot be carried by the `egress` stage: a connection does not wait for a "
        "person. Hold the call on `mcp` or `response`, or deny it on `egress`.",
        "- {priority: 1, stage: [mcp, egress], verdict: pending_approval}\n",
        "- {priority: 1, stage: mcp, verdict: pending_approval}\n",
    ),
    warning(
        "hook_unreachable",
        "A rule that no hook can reach",
        "Hooks of the managed agent see five tools, under their own or their canonical names: "
        "`code_execution` (`shell.exec`), `read_file` (`fs.read`), `write_file` (`fs.write`), `list_files` "
        "(`fs.list`) and `delete_file` (`fs.delete`). They never fire for `function` and `mcp_server` "
        "tools, which run outside the sandbox: enforce those with the MCP proxy or `POST /v1/enforce`. "
        "Reported for rules pinned to `hook`, and in a bundle with `hooks` for every rule that could act "
        "there.",
        "- {priority: 1, stage: hook, tool_name_glob: 'payment.*', verdict: deny}\n",
        "- {priority: 1, stage: mcp, tool_name_glob: 'payment.*', verdict: deny}\n",
    ),
)
