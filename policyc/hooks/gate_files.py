"""The gate as files: the script, the engine's own modules as they are, and the compiled plan."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

import policyc
from policyc.compiler.grouping import groups
from policyc.compiler.literals import with_literals
from policyc.hooks.errors import HooksError
from policyc.hooks.gate_decision import PLAN_HEAD, PLAN_LINES, PLAN_TAIL
from policyc.hooks.touch import at_hooks

#: Bytes that an inline source may have, and all inline sources of an environment together.
MOST_BYTES: Final = 1_000_000
MOST_BYTES_TOGETHER: Final = 2_000_000
_PACKAGE: Final = Path(policyc.__file__).parent
_MODULES: Final = (
    "__init__.py",
    "engine",
    "hooks/__init__.py",
    "hooks/gate_decision.py",
    "hooks/gate_asking.py",
)
SCRIPT: Final = "gate.py"
PLAN: Final = "plan.json"


def gate_files(data: Mapping[str, Any], folder: str) -> dict[str, str]:
    """The gate's files below ``folder``, text by path, for ``data``, the payload of a compiled bundle.

    Raises HooksError where they are too large for an inline source.
    """
    script = (_PACKAGE / "hooks" / SCRIPT).read_text("utf-8")
    files = {SCRIPT: script, PLAN: plan_text(data), **_modules()}
    _check_size(files)
    return {str(PurePosixPath(folder, path)): text for path, text in sorted(files.items())}


def gate_command(
    folder: str, target: str, *, python: str = "python3", deadline: int | None = None, ask: str | None = None
) -> list[str]:
    """The argument list that runs the gate in ``folder`` for ``target``.

    ``deadline``: seconds after which it denies on its own; below the time that the agent waits. ``ask``: the
    URL of the server's hook for ``target``.
    """
    command = [python, "-I", "-S", str(PurePosixPath(folder, SCRIPT)), "--target", target]
    command += [] if deadline is None else ["--deadline", str(deadline)]
    return command if ask is None else [*command, "--ask", ask]


def deadline_within(timeout: int) -> int:
    """The gate's own deadline, in seconds, where the agent waits ``timeout`` (2 or more)."""
    return max(1, timeout * 2 // 3)


def plan_text(data: Mapping[str, Any]) -> str:
    """The plan's file: of ``data`` what decides at a hook, whose events name no agent, and its digest."""
    name = data["default_policy"]
    policy = _NO_POLICY if name is None else data["policies"][name]
    rules = [_without_nothing(rule) for rule in policy["rules"] if at_hooks(rule["stages"])]
    lines: list[Any] = [with_literals(rule) for rule in rules]
    found = groups(rules)
    for group in found:
        index = group["commands"]
        group["commands"] = len(lines) if index else None
        lines += [index] if index else []
    plan = {
        "format": data["format"],
        "bundle": data["bundle"],
        "default_policy": name,
        "bindings": [],
        "meta_tools": data.get("meta_tools", []),
        "groups": found,
        "policies": {name or "none": {**policy, "rules": []}},
    }
    return sealed(plan, lines)


def sealed(plan: Mapping[str, Any], lines: Sequence[Mapping[str, Any]] = ()) -> str:
    """``plan`` as the gate reads it: with its digest, so that a damaged file is not half a policy. ``lines``
    are the rules and what else few calls need."""
    body = _dumped(plan)
    if lines:
        body = "\n".join([body[:-1] + PLAN_LINES, ",\n".join(map(_dumped, lines)), "]}"])
    return PLAN_HEAD % hashlib.sha256(body.encode()).hexdigest() + body + PLAN_TAIL


def _dumped(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


#: A plan has a policy; where none governs, this one is never asked.
_NO_POLICY: Final[dict[str, Any]] = {
    "default_verdict": "deny",
    "shadow": False,
    "source": {"path": "", "line": 1},
    "rules": [],
}


def _without_nothing(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if value is not None}


@cache
def _modules() -> Mapping[str, str]:
    """The text of the modules, by path as a package."""
    found = []
    for name in _MODULES:
        path = _PACKAGE / name
        found += [path] if path.is_file() else sorted(path.rglob("*.py"))
    return {f"policyc/{path.relative_to(_PACKAGE).as_posix()}": path.read_text("utf-8") for path in found}


def _check_size(files: Mapping[str, str]) -> None:
    sizes = {path: len(text.encode()) for path, text in files.items()}
    largest = max(sizes, key=lambda path: sizes[path])
    if sizes[largest] > MOST_BYTES:
        said = f"{largest} has {sizes[largest]:,} bytes, and an inline source may have {MOST_BYTES:,}"
        raise HooksError("gate_too_large", said)
    total = sum(sizes.values())
    if total > MOST_BYTES_TOGETHER:
        said = f"the files have {total:,} bytes, {sizes[PLAN]:,} of them the plan; inline sources may have"
        raise HooksError("gate_too_large", f"{said} {MOST_BYTES_TOGETHER:,} together")
