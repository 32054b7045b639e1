"""The description is held against the routes and against real answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from policyc_server import openapi
from policyc_server.approvals.endpoints import ApprovalEndpoints
from policyc_server.events.endpoints import EventEndpoints
from policyc_server.gateway import description
from policyc_server.lockdown import LockdownEndpoint
from policyc_server.mcp.pins_endpoint import PinsEndpoint
from policyc_server.routes import decision_routes, operation_routes

from server.in_process import InProcess
from server.material import PAYMENT
from server.process import eventually

DOCUMENT: Any = openapi.document()


def test_it_names_exactly_the_routes() -> None:
    async def endpoint(_request: object) -> None: ...

    anything: Any = type("Anything", (), {"__getattr__": lambda *_: endpoint})()
    routes = {(path, "post") for path in decision_routes(anything, anything, None)}
    approvals = ApprovalEndpoints(anything, anything, anything, anything, b"").routes()
    kept = [*EventEndpoints(anything).routes(), *LockdownEndpoint(anything, anything).routes(), *approvals]
    kept += PinsEndpoint(anything, anything).routes()
    for route in [*operation_routes(anything), *kept]:
        path = route.path.replace(":path}", "}")
        routes |= {(path, method.lower()) for method in route.methods or () if method != "HEAD"}
    routes |= {(description.PATH, method) for method in description.METHODS}
    assert routes == {(path, method) for path, item in DOCUMENT["paths"].items() for method in item}


def test_it_is_served(client: InProcess) -> None:
    assert client.get("/openapi.json").json() == DOCUMENT


def test_its_schemas_are_schemas() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def schema_of(path: str, method: str, status: int) -> dict[str, Any]:
    answer = DOCUMENT["paths"][path][method]["responses"][str(status)]
    schema = answer["content"]["application/json"]["schema"]
    return {**schema, "components": DOCUMENT["components"]}


EVENT = {"tool_call": {"name": "code_execution", "args": {"code": "rm -rf /"}}}
LARGE = {"tool": "payment.transfer", "args": {"amount_cents": 10**7}}


@pytest.mark.parametrize("state", ["ready", "not ready"])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "/v1/evaluate", PAYMENT),
        ("post", "/v1/evaluate", LARGE),
        ("post", "/v1/evaluate", [PAYMENT, {"tool": "x"}]),
        ("post", "/v1/evaluate", {"tool": 3}),
        ("post", "/v1/evaluate", "x" * 1_100_000),
        ("post", "/v1/enforce", PAYMENT),
        ("post", "/v1/enforce", LARGE),
        ("post", "/v1/enforce", []),
        ("post", "/v1/hooks/pre_tool_execution", EVENT),
        ("post", "/v1/hooks/pre_tool_execution", {"tool_call": {"name": "x"}}),
        ("post", "/v1/hooks/pre_tool_execution", {}),
        ("post", "/v1/hooks/post_tool_execution", EVENT),
        ("get", "/v1/policies", None),
        ("get", "/v1/status", None),
        ("get", "/health", None),
        ("get", "/openapi.json", None),
        ("get", "/v1/events", None),
        ("get", "/v1/events?limit=0", None),
        ("get", "/v1/runs", None),
        ("get", "/v1/runs/run-9", None),
        ("get", "/v1/shadow", None),
        ("get", "/v1/lockdown", None),
        ("get", "/v1/approvals", None),
        ("get", "/v1/approvals?state=open", None),
        ("get", "/v1/approvals/none", None),
        ("post", "/v1/approvals/none/approve", {}),
        ("post", "/v1/approvals/none/callback", {}),
        ("post", "/v1/lockdown", {"on": False}),
        ("post", "/v1/lockdown", {"on": "yes"}),
        ("get", "/v1/mcp/pins", None),
        ("post", "/v1/mcp/pins/accept", {"server": "crm", "tool": "get", "fingerprint": "f"}),
        ("post", "/v1/mcp/pins/accept", {"server": "crm"}),
    ],
)
def test_answers_are_as_described(
    client_of: Callable[..., InProcess],
    artifact: Path,
    tmp_path: Path,
    state: str,
    method: str,
    path: str,
    body: object,
) -> None:
    bundle = artifact if state == "ready" else tmp_path / "missing.tar.gz"
    client = client_of(bundle, decisions_log=tmp_path / "log", state=tmp_path / "state")
    if path.startswith("/v1/runs/"):
        client.post("/v1/evaluate", {"tool": "x", "run": "run-9"})
        eventually(lambda: client.get("/v1/events").json()["events"])
    answer = client.request(method.upper(), path, **({} if body is None else {"json": body}))
    described = re.sub("/run-9$", "/{run}", path.partition("?")[0])
    described = described.replace("/none", "/{approval}")
    Draft202012Validator(schema_of(described, method, answer.status_code)).validate(answer.json())


@pytest.mark.parametrize("path", sorted({*DOCUMENT["paths"]} - {"/health"}))
def test_refusals_are_as_described(client_of: Callable[..., InProcess], artifact: Path, path: str) -> None:
    client = client_of(artifact, token="secret")
    for method in DOCUMENT["paths"][path]:
        answer = client.request(method.upper(), path)
        Draft202012Validator(schema_of(path, method, answer.status_code)).validate(answer.json())
