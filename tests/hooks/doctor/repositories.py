"""Repositories with the generated hooks of a real bundle, to examine and to damage."""

import json

from policyc.building import compile_path
from policyc.hooks.generate import generate_hooks
from policyc.hooks.settings.entries import GATE
from policyc.hooks.write import write_files

_BUNDLE = """\
bundle: guarded
default_policy: main
server: {url: https://policy.example.com}
hooks:
  policy:
    pre_tool_execution:
      - {handler: server, timeout: 10}
"""
_POLICY = """\
include: [protect_control_plane]
rules: [{priority: 1, label: no rm, tool_name_glob: shell.exec, verdict: deny, args_match: {clauses: [
  {path: $.command, op: shell, value: {program: rm}}]}}]
"""
#: Where the hooks are, of agents that have them in JSON.
CONFIGS = {
    "managed": ".agents/hooks.json",
    "agy": ".agents/hooks.json",
    "claude-code": ".claude/settings.json",
    "gemini-cli": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "codex": ".codex/hooks.json",
    "copilot": ".github/hooks/policyc.json",
    "vscode": ".github/hooks/policyc.vscode.json",
    "windsurf": ".windsurf/hooks.json",
    "kiro": ".kiro/agents/policyc.json",
    "qwen": ".qwen/settings.json",
}


def compiled(folder, policy=_POLICY, *, holds=False):
    """The data of a bundle that is put into ``folder``. Without ``holds`` it holds nothing: then the agent
    asks the evaluator, and not its gate."""
    (folder / "policies").mkdir(parents=True)
    (folder / "bundle.yaml").write_text(_BUNDLE)
    (folder / "policies/main.yaml").write_text(policy)
    data = compile_path(folder).data
    main = data["policies"]["main"]
    main["rules"] = [one for one in main["rules"] if holds or one["verdict"] != "pending_approval"]
    return data


def repository(data, name, folder):
    """``folder`` with the hooks of the agent ``name``."""
    write_files(generate_hooks(data, name), folder)
    return folder


def gate_of(name, folder):
    return folder / (".agents/hooks-scripts" if name == "managed" else ".policyc/gate")


def edit(name, folder, change):
    """``change`` is called with each object of the configuration that is a hook of ours."""
    path = folder / CONFIGS[name]
    document = json.loads(path.read_text())
    for entry in list(_objects(document)):
        if any(_is_ours(value) for value in entry.values()):
            change(entry)
    path.write_text(json.dumps(document))


def _is_ours(value):
    if isinstance(value, list):
        return any(isinstance(inner, str) and "gate.py" in inner for inner in value)
    return isinstance(value, str) and ("gate.py" in value or "/v1/hooks/" in value)


def _objects(value):
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)


def runs(line):
    """A change that puts ``line`` in the place of the gate's command, still told as ours."""

    def change(entry):
        for key in ("command", "bash"):
            if key in entry and "args" not in entry:
                entry[key] = f"{line} # {GATE} hooks-scripts/gate.py"
        if "args" in entry:
            entry["command"], entry["args"] = "sh", ["-c", line, GATE]

    return change
