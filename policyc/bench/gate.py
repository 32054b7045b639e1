"""What the gate costs a call: the processor time of the whole process, beside one that only imports json."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from policyc.bench.processes import BenchError
from policyc.bench.quantiles import median
from policyc.building import compile_path
from policyc.hooks.gate_files import gate_command, gate_files

WARM_TARGET = 1.5
COLD_TARGET = 2.5

_REGEX = """\
default_verdict: audit
rules:
  - priority: 10
    label: block destructive rm
    tool_name_glob: shell.exec
    args_match: {clauses: [{path: $.command, op: regex, value: 'rm\\s+-[^\\s]*r[^\\s]*f'}]}
    verdict: deny
"""
_CODING_AGENT = """\
default_verdict: audit
include: [block_destructive_shell, git_guard, cloud_guard, service_guard, protect_control_plane,
          block_secret_reads, block_secrets_in_args, block_ssrf_egress]
"""
#: Those of examples/managed-agent-hooks/gate and examples/coding-agent, which an installation does not have.
POLICIES = {"one regex": _REGEX, "coding agent": _CODING_AGENT}
_CALLS = {
    "list_files": {"path": "/workspace"},
    "read_file": {"path": "/workspace/notes.md"},
    "code_execution": {"code": "git status && ls -la src | head", "language": "bash"},
}


@dataclass(frozen=True)
class GateFigures:
    """One tool under one policy: medians of whole processes in ms, and their ratios to the baseline."""

    policy: str
    tool: str
    baseline_ms: float
    """``python3 -I -S -c "import json"``, in turn with the others."""
    warm_ms: float
    cold_ms: float
    """Without bytecode: where the folder cannot be written, each time; else the first time."""
    warm_target: float = WARM_TARGET
    cold_target: float = COLD_TARGET

    @property
    def warm(self) -> float:
        return self.warm_ms / self.baseline_ms

    @property
    def cold(self) -> float:
        return self.cold_ms / self.baseline_ms


def measure_gate(folder: Path, *, runs: int) -> list[GateFigures]:
    """The figures of POLICIES, from gates written to the new ``folder``. Raises BenchError."""
    return [
        _measure(name, tool, _gates(folder / name.replace(" ", "-"), text), runs)
        for name, text in POLICIES.items()
        for tool in _CALLS
    ]


def _gates(folder: Path, text: str) -> tuple[Path, Path]:
    """Two copies of the gate of one policy: the second never has bytecode."""
    warm, cold = folder / "warm", folder / "cold"
    if not folder.exists():
        folder.mkdir(parents=True)
        source = folder / "policy.yaml"
        source.write_text(text, "utf-8")
        for path, content in gate_files(compile_path(source).data, "").items():
            (warm / path).parent.mkdir(parents=True, exist_ok=True)
            (warm / path).write_text(content, "utf-8")
        shutil.copytree(warm, cold)
    return warm, cold


def _measure(policy: str, tool: str, gates: tuple[Path, Path], runs: int) -> GateFigures:
    warm, cold = (gate_command(str(gate), "managed", python=sys.executable) for gate in gates)
    event = json.dumps({"tool_call": {"name": tool, "args": _CALLS[tool]}}).encode()
    kinds: tuple[Callable[[], float], ...] = (
        lambda: _process([sys.executable, "-I", "-S", "-c", "import json"], b""),
        lambda: _process(warm, event),
        lambda: _process([cold[0], "-B", *cold[1:]], event),
    )
    kinds[1]()  # writes the bytecode
    samples = [[take() for take in kinds] for _ in range(runs)]
    return GateFigures(policy, tool, *(median(column) for column in zip(*samples, strict=True)))


def _process(command: list[str], event: bytes) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    ran = subprocess.run(command, input=event, capture_output=True, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    elapsed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if ran.returncode != 0 or (event and json.loads(ran.stdout) != {"decision": "allow"}):
        raise BenchError(f"the gate did not allow a harmless call: {ran.stdout!r} {ran.stderr!r}")
    return elapsed * 1e3
