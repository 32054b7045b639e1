"""The bundle that the agents' files are generated from."""

from dataclasses import replace

from builders import clause, named, plan_data, rule

from policyc.hooks.target import GATE_FOLDER

#: Every agent but the managed one.
AGENTS = (
    "agy",
    "claude-code",
    "gemini-cli",
    "cursor",
    "codex",
    "copilot",
    "vscode",
    "windsurf",
    "kiro",
    "qwen",
    "opencode",
    "cline",
)


def denies(command, **changes):
    """A rule that denies a command of a shell."""
    clauses = [clause("$.command", "shell", command)]
    return rule(tools=["shell.exec"], clauses=clauses, **changes)


RULES = (
    denies({"program": "rm"}, label="no rm", reason="Nothing is deleted here."),
    denies({"program": "git", "args": ["push"], "any_flag": "--force"}, label="no forced push"),
    denies({"program": "terraform", "args": [["destroy", "apply"]]}, label="no terraform"),
    rule(tools=["http.fetch"], label="no fetching"),
    rule(tools=["mcp.payments.*", "mcp.my_crm.delete_all"], label="no payments"),
    rule("allow", tools=["fs.read"], label="reading"),
    rule(tools=["fs.read"], label="no reading"),
)
_ASKED = {"matcher": None, "handler": "server", "timeout": 10}
HOOKS = named(
    {"policy": {"pre_tool_execution": [_ASKED], "post_tool_execution": [_ASKED]}},
)
SERVER = {"url": "https://policy.example.com"}


def bundle(*, server=False, rules=RULES, **changes):
    """The compiled bundle, by itself or with an evaluator."""
    more = {"hooks": HOOKS, "server": SERVER} if server else {}
    return plan_data(list(rules), default="audit", **more, **changes)


def without_gate(generated):
    """What was generated without the gate's own files, which are many."""
    files = {path: text for path, text in generated.files.items() if not path.startswith(GATE_FOLDER)}
    return replace(generated, files=files)
