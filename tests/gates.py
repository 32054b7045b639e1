"""Gates on disk, and events for them."""

import json
import subprocess
import sys

from policyc.hooks.gate_files import gate_files

ALLOW = {"decision": "allow"}


def write_gate(folder, data):
    """The gate of a compiled bundle in ``folder``; returns its script."""
    for path, text in gate_files(data, "").items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return folder / "gate.py"


def event(tool="read_file", **args):
    """An event of the managed agent, as bytes."""
    return json.dumps({"tool_call": {"name": tool, "args": args}, "environment_id": "e"}).encode()


def command(script, *options, target="managed", python=sys.executable):
    return [python, "-I", "-S", str(script), "--target", target, *options]


def run(script, payload, *options, target="managed", python=sys.executable, **changes):
    """The finished process of one hook."""
    return subprocess.run(
        command(script, *options, target=target, python=python),
        input=payload,
        capture_output=True,
        timeout=60,
        check=False,
        **changes,
    )


def decision(process):
    """What the managed agent takes from a process that must have answered: one document, exit 0."""
    assert process.returncode == 0, process
    document = json.loads(process.stdout)
    assert document == ALLOW or (set(document) == {"decision", "reason"} and document["decision"] == "deny")
    assert document == ALLOW or document["reason"].strip()
    return document


def denial(process):
    """The reason of a deny."""
    document = decision(process)
    assert document["decision"] == "deny"
    return document["reason"]
