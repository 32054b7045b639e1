"""The main job, end to end: compile, sign, serve, decide, edit, re-sign, reload.

Exit 0 only if every answer was the expected one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

HERE = Path(__file__).parent
DESTRUCTIVE = {"command": "rm -rf /"}
CAP = ("value: 100000", "value: 500000")


@dataclass(frozen=True)
class Case:
    """A request and the answer it must get: HTTP status and some keys of the answer."""

    what: str
    path: str
    body: dict[str, Any]
    status: int
    expect: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """What is shown of an answer; ``good`` when it was the expected one."""

    what: str
    endpoint: str
    answer: str
    why: str
    good: bool


def call(agent: str, tool: str, **args: Any) -> dict[str, Any]:
    return {"agent": agent, "tool": tool, "args": args}


def event(name: str, **args: Any) -> dict[str, Any]:
    return {"tool_call": {"name": name, "args": args}, "environment_id": "env_xyz789"}


def allowed(what: str, body: dict[str, Any], rule: str | None, verdict: str = "allow") -> Case:
    return Case(what, "/v1/enforce", body, 200, {"verdict": verdict, "rule": rule})


def blocked(what: str, body: dict[str, Any], rule: str, reason_code: str) -> Case:
    return Case(
        what, "/v1/enforce", body, 400, {"code": "firewall_blocked", "rule": rule, "reason_code": reason_code}
    )


def hook(what: str, body: dict[str, Any], decision: str) -> Case:
    return Case(what, "/v1/hooks/pre_tool_execution", body, 200, {"decision": decision})


EVERYTHING_ELSE = ("deny everything else", "not_on_allowlist")
BIG_PAYMENT = call("payments-1", "payment.transfer", amount_cents=100_001)

CASES = [
    allowed("CRM read", call("crm-1", "crm.get_contact", id=7), "allow crm reads"),
    allowed("CRM search", call("crm-1", "crm.search", q="acme"), "allow crm search"),
    blocked("injected shell", call("crm-1", "shell.exec", **DESTRUCTIVE), *EVERYTHING_ELSE),
    blocked("injected delete", call("crm-1", "db.delete", table="users"), *EVERYTHING_ELSE),
    blocked("injected transfer", call("crm-1", "payment.transfer", amount_cents=1), *EVERYTHING_ELSE),
    allowed("payment at the cap", call("payments-1", "payment.transfer", amount_cents=100_000), None),
    blocked("payment over the cap", BIG_PAYMENT, "cap payment amount", "payment_cap"),
    allowed(
        "staging deploy", call("deploy-1", "deploy.release", environment="staging"), "allow staging deploys"
    ),
    blocked(
        "production deploy, held: no reviewer to ask",
        call("deploy-1", "deploy.release", environment="production"),
        "hold large deploys",
        "approval_unavailable",
    ),
    blocked(
        "destructive shell",
        call("coder-1", "shell.exec", **DESTRUCTIVE),
        "destructive shell",
        "destructive_shell",
    ),
    allowed("ordinary shell", call("coder-1", "shell.exec", command="ls -la"), "shell"),
    allowed(
        "the same on trial (shadow)",
        call("trial-1", "shell.exec", **DESTRUCTIVE),
        "destructive shell",
        "audit",
    ),
    hook("hook: rm -rf", event("code_execution", code="rm -rf /tmp/forbidden", language="bash"), "deny"),
    hook("hook: a script", event("code_execution", code="python3 app.py", language="bash"), "allow"),
    hook("hook: private file", event("read_file", path="/workspace/private/employees.json"), "deny"),
    hook("hook: public file", event("read_file", path="/workspace/public/summary.json"), "allow"),
    Case("hook: after the tool", "/v1/hooks/post_tool_execution", event("read_file", path="a"), 200, {}),
]
RELOADED = allowed("the same payment, cap raised and re-signed", BIG_PAYMENT, None)


def main() -> int:
    console = Console(width=120, highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copytree(HERE / "bundle", work / "bundle")
        policyc(work, "check", "bundle")
        policyc(work, "keygen", "release")
        publish(work, version=1)
        with serving(work) as server:
            rows = [answer_row(server, case) for case in CASES]
            edit(work / "bundle/policies/payments.yaml")
            publish(work, version=2)
            rows.append(wait_for(server, RELOADED))
    console.print(table(rows))
    wrong = sum(not row.good for row in rows)
    console.print(f"{len(rows) - wrong} of {len(rows)} answers were the expected ones")
    return 1 if wrong else 0


def policyc(work: Path, *arguments: str) -> None:
    """Runs the real command line and shows what a person would have typed."""
    print(f"$ policyc {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "policyc", *arguments], cwd=work, check=True)


def publish(work: Path, *, version: int) -> None:
    """Builds and signs beside the served artifact, then puts the new one in its place."""
    policyc(work, "build", "bundle", "--out", "next.tar.gz")
    policyc(work, "sign", "next.tar.gz", "--key", "release.pem", "--version", str(version))
    os.replace(work / "next.tar.gz", work / "demo.tar.gz")


def edit(policy: Path) -> None:
    text = policy.read_text("utf-8")
    policy.write_text(text.replace(*CAP), "utf-8")
    print(f"edited {policy.name}: {CAP[0]} -> {CAP[1]}", flush=True)


@contextlib.contextmanager
def serving(work: Path) -> Iterator[str]:
    """The evaluator on a free port, until the block ends."""
    (work / "state").mkdir()
    arguments = ["serve", "--bundle", "demo.tar.gz", "--verify-key", "release.pub.pem"]
    arguments += ["--state", "state", "--port", "0"]
    print(f"$ policyc {' '.join(arguments)}", flush=True)
    server = subprocess.Popen(
        [sys.executable, "-m", "policyc", *arguments], cwd=work, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        for line in server.stderr:
            print(line, end="", flush=True)
            if found := re.search(r"on (http://\S+)", line):
                yield found[1]
                return
        raise SystemExit("the evaluator did not start")
    finally:
        server.terminate()
        server.communicate(timeout=30)


def send(server: str, case: Case) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(
        server + case.path, json.dumps(case.body).encode(), {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as refused:
        error = json.load(refused)["error"]
        return refused.code, {**error["metadata"], **error}


def answer_row(server: str, case: Case) -> Row:
    status, answer = send(server, case)
    good = status == case.status and all(answer.get(key) == value for key, value in case.expect.items())
    said = answer.get("code") or answer.get("verdict") or answer.get("decision") or "{}"
    reason = answer["reason"] if "reason" in answer else answer.get("message", "")
    return Row(case.what, case.path.removeprefix("/v1/"), f"{status} {said}", why(reason), good)


def why(reason: str) -> str:
    """The author's reason alone: a block's message also says where the rule is and what to do next."""
    return reason.partition("blocked by firewall: ")[2].partition(" [")[0] or reason


def wait_for(server: str, case: Case) -> Row:
    """Asks until the new revision answers, at most ten seconds."""
    started = time.monotonic()
    row = answer_row(server, case)
    while not row.good and time.monotonic() - started < 10:
        time.sleep(0.02)
        row = answer_row(server, case)
    return row


def table(rows: list[Row]) -> Table:
    found = Table("call", "endpoint", "answer", "why", "", title="policyc: the calls of both seed documents")
    for row in rows:
        cells = (row.what, row.endpoint, row.answer, row.why, "ok" if row.good else "WRONG")
        found.add_row(*map(escape, cells))
    return found


if __name__ == "__main__":
    sys.exit(main())
