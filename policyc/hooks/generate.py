"""Files for an agent's hooks, from a compiled bundle; one entry per target."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Final

from policyc.hooks import managed
from policyc.hooks.errors import HooksError
from policyc.hooks.generated import Generated
from policyc.hooks.target import Options, Target

__all__ = ["TARGETS", "Generated", "agent", "generate_hooks"]

#: Every target. All but ``managed`` have a module of the same name in ``policyc.hooks.agents``.
TARGETS: Final = (
    "managed",
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


def agent(target: str) -> Target:
    """The target, one of TARGETS besides ``managed``, which has no failure contract to emulate but one:
    only the deny document denies."""
    found: Target = importlib.import_module(f"policyc.hooks.agents.{target.replace('-', '_')}").TARGET
    return found


def generate_hooks(
    data: Mapping[str, Any], target: str = "managed", options: Options | None = None
) -> Generated:
    """The files that run the hooks of a bundle under ``target``; pure: the same data gives the same bytes.

    ``data`` is the payload of a compiled bundle, with policies that ``Plan.load`` accepts. Raises HooksError.
    """
    if target not in TARGETS:
        supported = ", ".join(TARGETS)
        raise HooksError("unknown_target", f"{target!r} is not a target of hooks; supported: {supported}")
    if target == "managed":
        return managed.generate(data)
    return agent(target).generate(data, options or Options())
