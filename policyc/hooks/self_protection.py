"""Whether an agent may change its own guard: asked of the policies, before a guard is generated from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call
from policyc.engine.plan import Plan
from policyc.hooks.errors import HooksError
from policyc.hooks.touch import at_hooks

PRESET: Final = "protect_control_plane"
#: Rules of the preset itself, not of the exceptions that it offers.
_SOURCES: Final = (f"preset:{PRESET}/policies/{PRESET}.yaml", f"policies/{PRESET}.yaml")


def require_self_protection(data: Mapping[str, Any]) -> None:
    """Raises HooksError where the policy that governs at hooks has no rule of ``protect_control_plane``, by
    where its rules were written. ``data`` is the payload of a compiled bundle.

    Without a default policy every call at a hook is denied, which protects as well.
    """
    name = data["default_policy"]
    if name is None or any(_protects(rule) for rule in data["policies"][name]["rules"]):
        return
    message = f'policy "{name}" does not include {PRESET}: the agent may rewrite the hooks that hold it'
    raise HooksError("no_self_protection", message)


def _protects(rule: Mapping[str, Any]) -> bool:
    return at_hooks(rule["stages"]) and rule["source"]["path"] in _SOURCES


def exposed(data: Mapping[str, Any], paths: Iterable[str]) -> list[str]:
    """Those of ``paths``, of files that make up the hooks, that the policies let an agent write: a rule of
    the author's comes before the preset's, or the policy is in shadow.

    ``data`` is the payload of a compiled bundle, ``paths`` are relative to the folder the agent works in.
    """
    evaluator = Evaluator(Plan.load(data))
    return [path for path in paths if evaluator.decide(_write(path)).verdict in _PASSES]


_PASSES: Final = frozenset(("allow", "audit", "sanitize"))


def _write(path: str) -> Call:
    call = Call("fs.write", {"path": path, "content": ""}, "hook", canonical="fs.write")
    call.cwd, call.os = "/workspace", "linux"
    return call
