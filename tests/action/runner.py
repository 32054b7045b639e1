"""The composite action on this machine: its own scripts, a runner's variables, and a stand-in of the API."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
#: As `actions/setup-python` gives it, but the environment that it makes has the policyc under test.
_PYTHON = """\
#!/bin/sh
case "$1 $2" in
    "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; ln -sf {policyc} "$3/bin/policyc" ;;
    "-m pip") echo "$@" > "$RUNNER_TEMP/pip" ;;
    *) exec {python} "$@" ;;
esac
"""


class Runner:
    """Runs the steps in ``repository`` for an event; ``log`` is what they printed."""

    def __init__(
        self, repository: Path, folder: Path, event: dict[str, Any], api: str = "http://127.0.0.1:9"
    ) -> None:
        self._repository = repository
        self._temp = folder / "runner"
        self._temp.mkdir()
        (self._temp / "event.json").write_text(json.dumps(event))
        python = self._temp / "python"
        real = Path(sys.executable)
        python.write_text(_PYTHON.format(python=real, policyc=real.parent / "policyc"))
        python.chmod(0o755)
        self._event = event
        self._api = api
        self._outputs: dict[str, dict[str, str]] = {"python": {"python-path": str(python)}}
        self.log = ""
        self.ran: list[str] = []
        self.summary = ""

    def run(self, **inputs: str) -> int:
        """The exit code of the step that failed, or 0."""
        values = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()}
        values |= {"github-token": "token"} | {name.replace("_", "-"): text for name, text in inputs.items()}
        for step in STEPS:
            if "run" in step and self._holds(step.get("if", "true"), values):
                code = self._step(step, values)
                if code:
                    return code
        return 0

    def _step(self, step: dict[str, Any], inputs: dict[str, str]) -> int:
        files = {
            name: self._temp / name.lower()
            for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")
        }
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            files[name].write_text("")
        added = files["GITHUB_PATH"].read_text().split() if files["GITHUB_PATH"].exists() else []
        environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("GITHUB_", "RUNNER_"))
            },
            **{name: str(path) for name, path in files.items()},
            "PATH": os.pathsep.join([*added, "/usr/local/bin", "/usr/bin", "/bin"]),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": self._api,
            "GITHUB_REPOSITORY": "acme/policies",
            "GITHUB_EVENT_PATH": str(self._temp / "event.json"),
            "RUNNER_TEMP": str(self._temp),
            **{name: self._filled(text, inputs) for name, text in step.get("env", {}).items()},
        }
        script = self._temp / "script.sh"
        script.write_text(step["run"])
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        done = subprocess.run(
            command,
            cwd=self._repository,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.ran.append(step["name"])
        self.log += done.stdout + done.stderr
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        pairs = [line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines()]
        self._outputs[step.get("id", step["name"])] = dict(pairs)  # type: ignore[arg-type]
        return done.returncode

    def _filled(self, text: str, inputs: dict[str, str]) -> str:
        return _EXPRESSION.sub(lambda match: self._value(match[1], inputs), text)

    def _value(self, expression: str, inputs: dict[str, str]) -> str:
        return next(
            (found for part in expression.split(" || ") if (found := self._looked_up(part, inputs))), ""
        )

    def _looked_up(self, path: str, inputs: dict[str, str]) -> str:
        first, *rest = path.split(".")
        if first == "inputs":
            return inputs[rest[0]]
        if first == "steps":
            return self._outputs.get(rest[0], {}).get(rest[2], "")
        found: Any = self._event
        for name in rest[1:]:
            found = found.get(name, {})
        return found if isinstance(found, str) else ""

    def _holds(self, condition: str, inputs: dict[str, str]) -> bool:
        for part in condition.removeprefix("${{ ").removesuffix(" }}").split(" && "):
            if " " not in part:
                continue
            left, operator, right = part.split(" ")
            if (self._looked_up(left, inputs) == right.strip("'")) is not (operator == "=="):
                return False
        return True


class Comments:
    """What a pull request's comments are; ``status`` refuses every write."""

    def __init__(self, status: int = 0) -> None:
        self.kept: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.status = status

    def add(self, login: str, body: str) -> None:
        self.kept.append({"id": len(self.kept) + 1, "user": {"login": login}, "body": body})

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        self.asked.append(f"{method} {path}")
        if path == "/user" or (method != "GET" and self.status):
            return self.status or 403, {}
        if method == "GET":
            page = int(path.rpartition("=")[2])
            return 200, self.kept[100 * (page - 1) : 100 * page]
        if method == "POST":
            self.add("github-actions[bot]", body["body"])
        else:
            self.kept[int(path.rpartition("/")[2]) - 1]["body"] = body["body"]
        return 200, {}


@contextmanager
def api_of(comments: Comments) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.headers["authorization"] == "Bearer token"
            size = int(self.headers.get("content-length") or 0)
            status, document = comments.answer(
                self.command, self.path, json.loads(self.rfile.read(size)) if size else None
            )
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PATCH = do_GET  # noqa: N815 - names of the base class

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
