"""What there is, and what there is not."""

from __future__ import annotations

import pytest

from server.in_process import InProcess


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/evaluate/", "/v1/status/", "/console", "/v1/hooks", "/%2e%2e"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_unknown_routes(client: InProcess, method: str, path: str) -> None:
    answer = client.request(method, path)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["type"]) == (404, "not_found", "not_found_error")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/evaluate", "POST"),
        ("PUT", "/v1/enforce", "POST"),
        ("GET", "/v1/hooks/pre_tool_execution", "POST"),
        ("POST", "/v1/status", "GET"),
        ("DELETE", "/health", "GET"),
        ("OPTIONS", "/v1/evaluate", "POST"),
    ],
)
def test_wrong_methods(client: InProcess, method: str, path: str, allowed: str) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["error"]["code"] == "method_not_allowed"


def test_a_very_long_path_is_cut_in_the_message(client: InProcess) -> None:
    assert len(client.get("/" + "x" * 5000).content) < 500
