"""opencode: a plugin that asks the gate and throws, and ``permission`` in ``opencode.json``.

https://opencode.ai/docs/plugins
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import samples
from policyc.hooks.agents.evaluator import offline
from policyc.hooks.agents.gate import HOST_TIMEOUT_MS, gate, generated
from policyc.hooks.generated import Generated, Merge, Merged
from policyc.hooks.native import opencode as native
from policyc.hooks.target import HOST_TIMEOUT, Hook, Judgement, Options, Run, Samples, Target

NAME: Final = "opencode"
PATH: Final = "opencode.json"
PLUGIN: Final = ".opencode/plugins/policyc.js"
_RECORD: Final = f".policyc/native/{NAME}.json"
_HERE: Final = Path(__file__).parent
_NOTES: Final = (
    "That opencode stops a call whose plugin throws is what its documentation shows; try a call that "
    "must be denied.",
    "Tools of MCP servers were reported to be added after permission filtering, and deny rules for bash "
    "to be skipped on Windows (anomalyco/opencode#23045, #49347): keep a gateway in front of MCP.",
    "There is no ask: a call that the policy would ask about is denied. No lock for administrators is known.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    keys, listed = native.denied_keys(data)
    return generated(
        data,
        options,
        fault="denied",
        files={PLUGIN: _plugin(data, options)},
        merged={PATH: _merge(keys)},
        native=listed,
        notes=[*offline(data, NAME), *_NOTES],
        from_root=False,
    )


def _plugin(data: Mapping[str, Any], options: Options) -> str:
    text = (_HERE / "opencode_plugin.js").read_text("utf-8")
    text = text.replace("__COMMAND__", json.dumps(gate(NAME, options, data)))
    return text.replace("__DEADLINE_MS__", str(HOST_TIMEOUT_MS))


def _merge(keys: Sequence[str]) -> Merge:
    def apply(settings: dict[str, Any], earlier: Sequence[str]) -> Merged:
        found, ours, notes = native.with_denied(settings, keys, earlier)
        return Merged(found, notes, ours)

    return Merge(apply, _RECORD)


def hooks(folder: Path) -> list[Hook]:
    """The plugin under a driver: needs ``node``. opencode itself never gives up on a plugin."""
    if not (folder / PLUGIN).is_file():
        return []
    driver = ["node", str(_HERE / "opencode_driver.mjs"), str(folder / PLUGIN), str(folder)]
    return [Hook("tool.execute.before", driver, 2 * HOST_TIMEOUT, {})]


def judge(run: Run) -> Judgement:
    """The driver ends with 2 when the plugin threw. opencode waits for the plugin for as long as it takes."""
    return "blocked" if run.exit_code == 2 or run.timed_out else "ran"


def _payload(event: str, kind: str, value: str) -> dict[str, Any]:
    name, args = samples.native_call(load(NAME), kind, value)
    return {"hook_event_name": event, "tool": name, "args": args, "cwd": samples.CWD, "session_id": "s"}


TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    hooks,
    Samples(
        lambda kind, value: _payload("tool.execute.before", kind, value),
        lambda: _payload("tool.execute.after", "shell.exec", "true"),
    ),
    judge,
    own_events=True,
)
