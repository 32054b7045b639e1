"""`/metrics`: true numbers under few labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from server.in_process import InProcess
from server.material import PAYMENT, make_artifact, put
from server.process import eventually


def samples(client: InProcess) -> dict[tuple[str, ...], float]:
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *(f"{key}={value}" for key, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_requests_are_counted(client: InProcess) -> None:
    client.post("/v1/evaluate", [PAYMENT, {"tool": "deploy.start"}])
    client.post("/v1/enforce", PAYMENT)
    client.post("/v1/enforce", content=b"{")
    client.post("/v1/hooks/pre_tool_execution", content=b"{")
    client.get("/nowhere")
    found = samples(client)
    assert found["policyc_decisions_total", "surface=evaluate", "verdict=allow"] == 1
    assert found["policyc_decisions_total", "surface=evaluate", "verdict=pending_approval"] == 1
    assert found["policyc_decisions_total", "surface=enforce", "verdict=allow"] == 1
    assert found["policyc_requests_refused_total", "code=invalid_json"] == 2
    assert found["policyc_requests_refused_total", "code=not_found"] == 1
    assert found[("policyc_decision_seconds_count",)] == 3
    assert found["policyc_decision_seconds_bucket", "le=+Inf"] == 3
    assert 0 < found[("policyc_decision_seconds_sum",)] < 1


def test_reloads_are_counted_and_labels_do_not_grow(
    client_of: Callable[..., InProcess], tmp_path: Path
) -> None:
    path = tmp_path / "p.tar.gz"
    put(path, make_artifact(tmp_path / "sources", 1))
    client = client_of(path, settle=0.02)
    before = set(samples(client))
    activated = client.status()["policy"]["activated_at"]
    put(path, make_artifact(tmp_path / "sources", 2))
    eventually(lambda: client.status()["policy"]["activated_at"] != activated)
    put(path, b"broken")
    eventually(lambda: client.status()["reload"]["error"])
    found = samples(client)
    assert found["policyc_reloads_total", "result=activated"] == 2
    assert found["policyc_reloads_total", "result=failed"] >= 1
    assert found[("policyc_reload_failing",)] == 1
    assert found[("policyc_policy_stale",)] == 0
    assert found[("policyc_policy_age_seconds",)] >= 0
    assert found[("policyc_last_activation_timestamp_seconds",)] > 1.7e9
    revision = client.status()["policy"]["revision"]
    info = [key for key in found if key[0] == "policyc_info"]
    assert info == [("policyc_info", "bundle=payments", f"revision={revision}", "version=")]
    assert len(found) == len(before)


def test_apps_do_not_share_a_registry(client_of: Callable[..., InProcess], artifact: Path) -> None:
    one, other = client_of(artifact), client_of(artifact)
    one.post("/v1/enforce", PAYMENT)
    assert not any(key[0] == "policyc_decisions_total" for key in samples(other))


def test_dropped_events_are_counted(
    client_of: Callable[..., InProcess], artifact: Path, tmp_path: Path
) -> None:
    client = client_of(artifact, decisions_log=tmp_path / "log", decisions_queue=1)
    client.post("/v1/evaluate", [PAYMENT] * 5)
    found = samples(client)
    assert found[("policyc_decision_events_dropped_total",)] == 4


def test_what_shadow_kept_from_being_is_counted_by_rule(
    client_of: Callable[..., InProcess], tmp_path: Path
) -> None:
    policy = tmp_path / "agent.yaml"
    policy.write_text(
        "policy: agent\n"
        "default_verdict: allow\n"
        "rules:\n"
        "  - {priority: 1, label: no drops, tool_name_glob: '*.drop', verdict: deny, shadow: true}\n"
        "  - {priority: 2, label: holds, tool_name_glob: 'd.*', verdict: pending_approval, shadow: true}\n"
    )
    client = client_of(policy)
    client.post("/v1/evaluate", [{"tool": "a.drop"}, {"tool": "b.drop"}, {"tool": "d.x"}, {"tool": "a.get"}])
    name, found = "policyc_shadow_decisions_total", samples(client)
    assert {labels[1:]: count for labels, count in found.items() if labels[0] == name} == {
        ("policy=agent", "rule=no drops", "would_be=deny"): 2,
        ("policy=agent", "rule=holds", "would_be=pending_approval"): 1,
    }
