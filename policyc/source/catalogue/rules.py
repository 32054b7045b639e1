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
        "bad_example",
        "An example that is no call",
        "An entry of `examples` is a call as `POST /v1/evaluate` takes it, a hook payload, or a command line "
        "of `shell.exec`. `tool` may be left out where the rule names one tool without `*`; a `stage` that "
        "is left out is the first of the rule's.",
        "- {priority: 1, tool_name_glob: 'pay.*', verdict: deny, examples: {match: [{args: {cents: 5}}]}}\n",
        "- {priority: 1, tool_name_glob: 'pay.*', verdict: deny, examples: {match: [{tool: pay.out}]}}\n",
    ),
    error(
        "failed_example",
        "An example that the rule does not bear out",
        "Of a call under `match` every condition of the rule must hold, of one under `no_match` some "
        "condition must not; one that cannot be known is neither. The rules around it and its budget are "
        "left aside.",
        "- {priority: 1, tool_name_glob: 'pay.*', verdict: deny, examples: {match: [{tool: paper}]}}\n",
        "- {priority: 1, tool_name_glob: 'pay.*', verdict: deny, examples: {no_match: [{tool: paper}]}}\n",
    ),
    error(
        "approval_on_egress",
        "A hold where nothing can wait",
        "`pending_approval` cannot be carried by the `egress` stage: a connection does not wait for a "
        "person. Hold the call on `mcp` or `response`, or deny it on `egress`.",
        "- {priority: 1, stage: [mcp, egress], verdict: pending_approval}\n",
        "- {priority: 1, stage: mcp, verdict: pending_approval}\n",
    ),
    error(
        "sanitize_alone",
        "`sanitize` without its verdict, or the verdict without it",
        "The key `sanitize` says what the verdict `sanitize` redacts: each needs the other.",
        "- {priority: 1, verdict: sanitize}\n",
        "- {priority: 1, verdict: sanitize, sanitize: {presets: [email]}}\n",
    ),
    error(
        "empty_sanitize",
        "Nothing to redact",
        "`sanitize` names presets, RE2 patterns under `custom`, or both.",
        "- {priority: 1, verdict: sanitize, sanitize: {presets: []}}\n",
        "- {priority: 1, verdict: sanitize, sanitize: {custom: ['ACME-[0-9]{6}']}}\n",
    ),
    error(
        "unknown_sanitize_preset",
        "An unknown preset of `sanitize`",
        "The presets are `aws_access_key`, `aws_secret_key`, `openai_key`, `anthropic_key`, `bearer_token`, "
        "`email`, `ssn_us` and `credit_card`. Other text is found with an RE2 pattern under `custom`.",
        "- {priority: 1, verdict: sanitize, sanitize: {presets: [e_mail]}}\n",
        "- {priority: 1, verdict: sanitize, sanitize: {presets: [email]}}\n",
    ),
    warning(
        "sanitize_denies",
        "A redaction where nothing can be rewritten",
        "On `inbound` a tool is advertised and has no arguments yet, on `egress` a connection has none, so a "
        "rule for these stages alone denies. Write that, or add a stage that carries arguments.",
        "- {priority: 1, stage: inbound, verdict: sanitize, sanitize: {presets: [email]}}\n",
        "- {priority: 1, stage: [response, mcp], verdict: sanitize, sanitize: {presets: [email]}}\n",
    ),
    error(
        "egress_stage",
        "`egress` on other stages",
        "The key `egress` is about destinations. Only the stage `egress` has one, so the rule is for that "
        "stage alone. For a URL among a tool's arguments use a clause with the operator `host`.",
        "- {priority: 1, stage: [mcp, egress], verdict: deny, egress: {deny: [10.0.0.0/8]}}\n",
        "- {priority: 1, stage: egress, verdict: deny, egress: {deny: [10.0.0.0/8]}}\n",
    ),
    error(
        "egress_scope",
        "`egress` without the destinations it is about",
        "On `allow` and `audit` the rule is about the destinations in `allow`, but not those in `deny`. On "
        "the other verdicts it is the other way round. The first list has to be there.",
        "- {priority: 1, stage: egress, verdict: deny, egress: {allow: [api.example.com]}}\n",
        "- {priority: 1, stage: egress, verdict: deny, egress: {deny: ['*'], allow: [api.example.com]}}\n",
    ),
    error(
        "shadow_allows",
        "An allow in shadow",
        "A rule in shadow is recorded and the rules after it decide. What allows stops nothing, so there is "
        "nothing to record.",
        "- {priority: 1, tool_name_glob: 'crm.*', verdict: allow, shadow: true}\n",
        "- {priority: 1, tool_name_glob: 'crm.*', verdict: deny, shadow: true}\n",
    ),
    error(
        "approval_alone",
        "`approval` without a hold",
        "The key `approval` says how long a held call waits and who may decide it, so it stands with the "
        "verdict `pending_approval`.",
        "- {priority: 1, verdict: deny, approval: {ttl: 600}}\n",
        "- {priority: 1, verdict: pending_approval, approval: {ttl: 600}}\n",
    ),
    error(
        "cap_cost_alone",
        "`cap_cost` without its cents, or the cents without it",
        "The key `cap_cost_cents` says what a run may spend before the verdict `cap_cost` denies: each needs "
        "the other.",
        "- {priority: 1, verdict: cap_cost}\n",
        "- {priority: 1, verdict: cap_cost, cap_cost_cents: 500}\n",
    ),
    error(
        "cap_cost_stage",
        "A cap where it does not act",
        "`cap_cost` acts on `inbound`, `mcp` and `hook`: what a model says on `response` is not run there, "
        "and a destination on `egress` belongs to a call that was capped before.",
        "- {priority: 1, stage: [mcp, response], verdict: cap_cost, cap_cost_cents: 500}\n",
        "- {priority: 1, stage: mcp, verdict: cap_cost, cap_cost_cents: 500}\n",
    ),
    error(
        "several_budgets",
        "Two budgets in one rule",
        "A rule counts one thing: `cap_cost_cents`, `rate` or `sequence`.",
        "- priority: 1\n  verdict: cap_cost\n  cap_cost_cents: 500\n  rate: {max: 10, window_seconds: 60}\n",
        "- {priority: 1, verdict: cap_cost, cap_cost_cents: 500}\n"
        "- {priority: 2, verdict: deny, rate: {max: 10, window_seconds: 60}}\n",
    ),
    error(
        "budget_allows",
        "A budget that allows",
        "A rule with a budget matches the calls beyond it. With `allow` these would pass, and those within "
        "it might not.",
        "- {priority: 1, verdict: allow, rate: {max: 10, window_seconds: 60}}\n",
        "- {priority: 1, verdict: deny, rate: {max: 10, window_seconds: 60}}\n",
    ),
    error(
        "enforce_alone",
        "`enforce` with nothing to act on",
        "A `sequence` is recorded; `enforce: true` lets the rule's verdict act on the call that completes "
        "it. Without a sequence, or with `audit`, there is nothing to switch on.",
        "- {priority: 1, verdict: deny, enforce: true}\n",
        "- priority: 1\n  verdict: deny\n  enforce: true\n"
        "  sequence: {window_seconds: 600, steps: [{match: 'crm.*'}, {match: '*.export'}]}\n",
    ),
    error(
        "sequence_stage",
        "A step at a stage that the rule leaves out",
        "A sequence sees the calls at the rule's stages. A step with `egress: true` is a call at the stage "
        "`egress`, so that has to be one of them.",
        "- priority: 1\n  stage: mcp\n  verdict: deny\n"
        "  sequence: {window_seconds: 600, steps: [{match: 'crm.*'}, {match: '*', egress: true}]}\n",
        "- priority: 1\n  stage: [mcp, egress]\n  verdict: deny\n"
        "  sequence: {window_seconds: 600, steps: [{match: 'crm.*'}, {match: '*', egress: true}]}\n",
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
