"""What an operator sees."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from server.in_process import InProcess
from server.material import PAYMENT, make_artifact, put
from server.process import eventually


def test_health_names_what_is_missing(client_of: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 22: others are ready before the first policy, or do not say which is missing."""
    path = tmp_path / "p.tar.gz"
    client = client_of(path, settle=0.02)
    answer = client.get("/health")
    assert answer.status_code == 503
    assert answer.json() == {"status": "not_ready", "missing": ["p.tar.gz"], "error": "file_unreadable"}
    put(path, make_artifact(tmp_path / "sources"))
    eventually(lambda: client.get("/health").status_code == 200)
    assert client.get("/health").json() == {"status": "ok"}


def test_without_a_policy_every_answer_says_so(client_of: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 24: an empty answer is read as a yes by some callers."""
    client = client_of(tmp_path / "p.tar.gz")
    decision = client.post("/v1/evaluate", PAYMENT).json()
    assert (decision["verdict"], decision["allowed"]) == ("deny", False)
    assert (decision["reason_code"], decision["revision"]) == ("not_ready", "")
    blocked = client.post("/v1/enforce", PAYMENT)
    assert blocked.status_code == 400
    assert blocked.json()["error"]["metadata"]["reason_code"] == "not_ready"
    assert client.get("/v1/policies").json()["policies"] == []
    status = client.status()
    assert (status["status"], status["policy"]) == ("not_ready", None)
    assert status["reload"]["error"]["code"] == "file_unreadable"


def test_status_of_what_is_served(client: InProcess, artifact: Path) -> None:
    status = client.status()
    policy = status["policy"]
    assert (status["status"], policy["bundle"], policy["version"]) == ("ok", "payments", None)
    assert status["source"] == str(artifact)
    assert datetime.fromisoformat(policy["activated_at"]) <= datetime.now().astimezone()
    assert len(policy["digest"]) == 64
    assert status["reload"]["error"] is status["decision_log"] is None


def test_policies_lists_rules_in_evaluation_order(client: InProcess) -> None:
    document = client.get("/v1/policies").json()
    (policy,) = document["policies"]
    assert (document["bundle"], document["default_policy"]) == ("payments", "agent")
    assert [rule["label"] for rule in policy["rules"]] == [
        "cap payment amount",
        "pay",
        "hold deploys",
        "no destructive shell",
    ]
    assert policy["rules"][0] == {
        "label": "cap payment amount",
        "priority": 5,
        "verdict": "deny",
        "stages": None,
        "tools": ["payment.*"],
        "clauses": 1,
        "shadow": False,
        "source": "policies/agent.yaml:4",
        "hits": None,
    }
    assert policy["rules"][3]["stages"] == ["hook"]
