"""`policyc serve --workers`: real processes that serve as one."""

from __future__ import annotations

import concurrent.futures
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from policyc.bundle.state import load_record
from server.material import PAYMENT, Keys, make_artifact, put
from server.process import ServerProcess, eventually
from server.store.conftest import postgres, postgres_url, url

pytestmark = pytest.mark.slow


__all__ = ["postgres", "postgres_url", "url"]

Serve = Callable[..., ServerProcess]


@pytest.fixture
def group(serve: Serve, artifact: Path, tmp_path: Path) -> ServerProcess:
    return serve(artifact, "--workers", "2", "--state", tmp_path / "state").ready()


def fresh(server: ServerProcess, path: str) -> httpx.Response:
    """An answer on a connection of its own: any worker's."""
    return httpx.get(f"{server.url}{path}", timeout=20)


def workers(server: ServerProcess) -> dict[int, dict[str, Any]]:
    """Those that serve, by number."""
    return {row["worker"]: row for row in fresh(server, "/v1/status").json()["workers"]}


def both(server: ServerProcess) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = eventually(lambda: len(all_ := workers(server)) == 2 and all_)
    return found


def decided(server: ServerProcess) -> float:
    return sum(
        sample.value
        for family in text_string_to_metric_families(fresh(server, "/metrics").text)
        for sample in family.samples
        if sample.name == "policyc_decisions_total"
    )


def decide(server: ServerProcess, count: int) -> None:
    for _ in range(count):
        answer = httpx.post(f"{server.url}/v1/evaluate", json=PAYMENT, timeout=20)
        assert answer.json()["verdict"] == "allow"


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"


def test_one_ready_line_and_status_and_metrics_of_all(group: ServerProcess) -> None:
    found = both(group)
    assert len([line for line in group.lines if line.startswith("serving ")]) == 1
    assert group.lines[-1].endswith("by 2 workers")
    assert len({row["pid"] for row in found.values()}) == 2
    assert {row["policy"]["revision"] for row in found.values()} == {group.revision}
    decide(group, 24)
    eventually(lambda: decided(group) == 24)
    events = eventually(lambda: len(rows := fresh(group, "/v1/events").json()["events"]) == 24 and rows)
    assert len({event["id"] for event in events}) == 24


def test_a_killed_worker_is_replaced_and_what_it_counted_stays(group: ServerProcess) -> None:
    before = both(group)
    decide(group, 12)
    eventually(lambda: decided(group) == 12)
    os.kill(before[1]["pid"], signal.SIGKILL)
    # Connections that wait for the dead worker are answered by its successor.
    decide(group, 12)
    eventually(lambda: decided(group) == 24)
    eventually(lambda: workers(group).get(1, before[1])["pid"] != before[1]["pid"])
    assert workers(group)[0]["pid"] == before[0]["pid"]
    assert "worker 1 ended (-9)" in group.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_drains_all_and_is_0(group: ServerProcess, number: signal.Signals) -> None:
    processes = [row["pid"] for row in both(group).values()]
    decide(group, 10)
    group.process.send_signal(number)
    assert group.wait() == 0
    assert not any(map(is_alive, processes))
    with pytest.raises(OSError, match="refused"):
        group.connect()


def test_workers_end_with_their_parent_and_free_the_folder(
    group: ServerProcess, serve: Serve, artifact: Path, tmp_path: Path
) -> None:
    processes = [row["pid"] for row in both(group).values()]
    group.process.kill()
    eventually(lambda: not any(map(is_alive, processes)))
    serve(artifact, "--workers", "2", "--state", tmp_path / "state").ready()


def test_another_server_on_the_folder_or_the_port_is_refused(
    group: ServerProcess, serve: Serve, artifact: Path, tmp_path: Path
) -> None:
    for state, code in ((tmp_path / "state", "another server uses"), (tmp_path / "other", "error[address]")):
        for more in ((), ("--workers", "2")):
            second = serve(artifact, "--state", state, "--port", str(group.port), *more)
            assert second.wait() == 2
            assert code in second.stderr


def test_what_keeps_one_from_serving_is_said_once(serve: Serve, tmp_path: Path) -> None:
    server = serve(tmp_path / "missing.tar.gz", "--workers", "2", "--state", tmp_path / "state")
    assert server.wait() == 2
    assert server.stderr.count("file_unreadable") <= 2  # the log's line and the last words of one worker
    assert server.stderr.count("policyc serve:") == 1


def test_workers_need_a_store(serve: Serve, artifact: Path) -> None:
    server = serve(artifact, "--workers", "2")
    assert server.wait() == 2
    assert "store_required" in server.stderr


def test_no_worker_serves_what_is_not_recorded_or_goes_back(serve: Serve, tmp_path: Path, keys: Keys) -> None:
    path = tmp_path / "p.tar.gz"
    sources = tmp_path / "sources"
    old, new = (make_artifact(sources, cap, key=keys.signing, version=cap) for cap in (1, 2))
    put(path, old)
    options = ("--verify-key", keys.public_file, "--state", tmp_path / "state", "--workers", "2")
    server = serve(path, *options).ready()
    both(server)
    put(path, new)

    def versions() -> set[int]:
        return {row["policy"]["version"] for row in both(server).values()}

    eventually(lambda: versions() == {2})
    assert load_record(tmp_path / "state" / "served.json").bundles["payments"].version == 2
    put(path, old)
    eventually(
        lambda: {(row["error"] or {}).get("code") for row in both(server).values()} == {"version_too_old"}
    )
    assert versions() == {2}
    # A worker that starts now has nothing that it may serve; the other goes on alone, and gets it all.
    os.kill(both(server)[1]["pid"], signal.SIGKILL)
    eventually(lambda: server.stderr.count("worker 1 ended") >= 3)
    assert {fresh(server, "/v1/status").json()["policy"]["version"] for _ in range(10)} == {2}
    put(path, make_artifact(sources, 3, key=keys.signing, version=3))
    eventually(lambda: len(workers(server)) == 2 and versions() == {3}, within=30)


def test_without_a_folder_the_record_is_the_groups(
    serve: Serve, tmp_path: Path, keys: Keys, postgres_or_file: str
) -> None:
    path = tmp_path / "p.tar.gz"
    sources = tmp_path / "sources"
    put(path, make_artifact(sources, 2, key=keys.signing, version=2))
    options = ("--verify-key", keys.public_file, "--database", postgres_or_file, "--workers", "2")
    server = serve(path, *options).ready()
    victim = both(server)[0]["pid"]
    put(path, make_artifact(sources, 1, key=keys.signing, version=1))
    os.kill(victim, signal.SIGKILL)
    # Its successor is refused the older one, and then the other has every connection.
    eventually(lambda: server.stderr.count("worker 0 ended") >= 2)
    assert "version_too_old" in server.stderr
    assert fresh(server, "/v1/status").json()["policy"]["version"] == 2


@pytest.fixture
def postgres_or_file(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'elsewhere.db'}"


def test_a_reload_under_load_fails_no_request(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "p.tar.gz"
    editions = [make_artifact(tmp_path / "sources", cap) for cap in (1, 100000)]
    put(path, editions[1])
    server = serve(path, "--workers", "2", "--state", tmp_path / "state").ready()
    end = time.monotonic() + 3

    def ask() -> int:
        count = 0
        with httpx.Client(base_url=server.url, timeout=20) as client:
            while time.monotonic() < end:
                answer = client.post("/v1/evaluate", json=[PAYMENT] * 5)
                decisions = answer.json()
                assert answer.status_code == 200
                assert len({decision["revision"] for decision in decisions}) == 1
                assert len({decision["verdict"] for decision in decisions}) == 1
                count += 1
        return count

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        for turn in range(6):
            put(path, editions[turn % 2])
            time.sleep(0.4)
        assert sum(future.result() for future in asking) > 20


def test_two_servers_on_one_store_list_each_other(
    serve: Serve, artifact: Path, tmp_path: Path, url: str
) -> None:
    database = url
    one = serve(artifact, "--database", database, "--state", tmp_path / "one", "--workers", "2").ready()
    other = serve(artifact, "--database", database, "--state", tmp_path / "other").ready()
    for server in (one, other):
        eventually(lambda server=server: len(fresh(server, "/v1/status").json()["workers"]) == 3)
    other.stop()
    eventually(lambda: len(fresh(one, "/v1/status").json()["workers"]) == 2)


def test_the_kernel_spreads_connections(group: ServerProcess) -> None:
    answered = set()
    for _ in range(60):
        answered.add(fresh(group, "/v1/status").json()["workers"][0]["pid"])
    assert len(answered) == 2


def test_ipv6(serve: Serve, artifact: Path, tmp_path: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    server = serve(artifact, "--workers", "2", "--state", tmp_path, "--host", "::1").ready()
    assert httpx.get(f"http://[::1]:{server.port}/health").status_code == 200
