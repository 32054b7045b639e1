"""The hot reload on real files: what is served is what is on disk, or the last good of it.

Rows are those of the list of complaints about OPA in the project's reference."""

from __future__ import annotations

import gc
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from policyc.engine.evaluate import Evaluator
from server.in_process import InProcess
from server.material import PAYMENT, Keys, make_artifact, put, write_bundle
from server.process import eventually

STRICT, LOOSE = 1000, 100000  # caps below and above PAYMENT


@pytest.fixture
def on(client_of: Callable[..., InProcess]) -> Callable[..., InProcess]:
    """A client on a path. Polling is slow here, so that it is file events that the tests see."""

    def make(path: Path, **changes: Any) -> InProcess:
        return client_of(path, **{"poll": 30.0, "settle": 0.02, **changes})

    return make


def becomes(client: InProcess, verdict: str) -> None:
    eventually(lambda: client.verdict(PAYMENT) == verdict, 5)


def fails(client: InProcess) -> str:
    """The code with which the newest content was refused."""
    return str(eventually(lambda: client.status()["reload"]["error"], 5)["code"])


def artifact_at(path: Path, cap: int, **how: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    put(path, make_artifact(path.parent / ".sources", cap, **how))
    return path


def test_an_artifact_renamed_over_the_old_one(on: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 15: OPA logs the event and keeps the old policy, or dies."""
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path)
    for cap, verdict in [(STRICT, "deny"), (LOOSE, "allow"), (STRICT, "deny")]:
        artifact_at(path, cap)
        becomes(client, verdict)


def test_a_policy_written_in_place(on: Callable[..., InProcess], tmp_path: Path) -> None:
    client = on(write_bundle(tmp_path / "b", LOOSE))
    write_bundle(tmp_path / "b", STRICT)
    becomes(client, "deny")


def test_a_lone_policy_file(on: Callable[..., InProcess], tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    put(path, (write_bundle(tmp_path / "b", LOOSE) / "policies" / "agent.yaml").read_bytes())
    client = on(path)
    assert client.verdict(PAYMENT) == "allow"
    put(path, (write_bundle(tmp_path / "b", STRICT) / "policies" / "agent.yaml").read_bytes())
    becomes(client, "deny")


def test_an_editor_that_moves_the_old_file_away(on: Callable[..., InProcess], tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b", LOOSE)
    client = on(folder)
    policy = folder / "policies" / "agent.yaml"
    text = policy.read_text().replace(str(LOOSE), str(STRICT))
    os.rename(policy, policy.with_name("agent.yaml~"))
    (folder / "policies" / "4913").touch()  # vim tries whether it may write here
    (folder / "policies" / "4913").unlink()
    policy.write_text(text)
    policy.with_name("agent.yaml~").unlink()
    becomes(client, "deny")


def test_a_half_written_artifact(on: Callable[..., InProcess], tmp_path: Path) -> None:
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path)
    content = make_artifact(tmp_path / "sources", STRICT)
    with path.open("wb") as file:
        file.write(content[: len(content) // 2])
        file.flush()
        assert fails(client)
        assert client.verdict(PAYMENT) == "allow"
        file.write(content[len(content) // 2 :])
    becomes(client, "deny")
    assert client.status()["reload"]["error"] is None


def test_a_deleted_artifact_that_comes_back(on: Callable[..., InProcess], tmp_path: Path) -> None:
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path)
    path.unlink()
    assert fails(client) == "file_unreadable"
    assert client.verdict(PAYMENT) == "allow"
    artifact_at(path, STRICT)
    becomes(client, "deny")


def test_a_removed_source_file(on: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 14: OPA goes on using data whose file is gone."""
    folder = write_bundle(tmp_path / "b", LOOSE)
    (folder / "bundle.yaml").write_text("bundle: payments\ndefault_policy: agent\n")
    (folder / "policies" / "extra.yaml").write_text("policy: extra\ndefault_verdict: deny\nrules: []\n")
    client = on(folder)

    def served() -> list[str]:
        return [policy["policy"] for policy in client.get("/v1/policies").json()["policies"]]

    assert served() == ["agent", "extra"]
    (folder / "policies" / "extra.yaml").unlink()
    eventually(lambda: served() == ["agent"], 5)


def config_map(folder: Path, generation: int, files: dict[str, bytes]) -> None:
    """What the kubelet does on an update: a new folder, one renamed link, the old folder removed."""
    new = folder / f"..v{generation}"
    for name, content in files.items():
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        (new / name).write_bytes(content)
    (folder / "..data_tmp").symlink_to(new.name)
    os.rename(folder / "..data_tmp", folder / "..data")
    for top in {name.split("/")[0] for name in files}:
        if not (folder / top).is_symlink():
            (folder / top).symlink_to(f"..data/{top}")
    shutil.rmtree(folder / f"..v{generation - 1}", ignore_errors=True)


def test_config_map_with_an_artifact(on: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 13: some servers see no event, or only the first."""
    mount = tmp_path / "mount"
    contents = {cap: make_artifact(tmp_path / "sources", cap) for cap in (LOOSE, STRICT)}
    config_map(mount, 1, {"p.tar.gz": contents[LOOSE]})
    client = on(mount / "p.tar.gz")
    for generation, (cap, verdict) in enumerate([(STRICT, "deny"), (LOOSE, "allow"), (STRICT, "deny")], 2):
        config_map(mount, generation, {"p.tar.gz": contents[cap]})
        becomes(client, verdict)


def test_config_map_with_sources(on: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 13: after the second swap OPA still has the removed version loaded as well."""
    mount = tmp_path / "mount"

    def files(cap: int) -> dict[str, bytes]:
        folder = write_bundle(tmp_path / "sources", cap)
        return {name: (folder / name).read_bytes() for name in ("bundle.yaml", "policies/agent.yaml")}

    config_map(mount, 1, files(LOOSE))
    client = on(mount)
    for generation, (cap, verdict) in enumerate([(STRICT, "deny"), (LOOSE, "allow"), (STRICT, "deny")], 2):
        config_map(mount, generation, files(cap))
        becomes(client, verdict)
        assert len(client.get("/v1/policies").json()["policies"]) == 1


def test_the_folder_itself_replaced(on: Callable[..., InProcess], tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b", LOOSE)
    client = on(folder)
    for cap, verdict in [(STRICT, "deny"), (LOOSE, "allow")]:
        shutil.rmtree(folder)
        assert fails(client)
        write_bundle(folder, cap)
        becomes(client, verdict)
    write_bundle(tmp_path / "new", STRICT)
    os.rename(folder, tmp_path / "old")
    os.rename(tmp_path / "new", folder)
    becomes(client, "deny")
    write_bundle(folder, LOOSE)
    becomes(client, "allow")


def test_a_burst_ends_at_its_last_content(on: Callable[..., InProcess], tmp_path: Path) -> None:
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path)
    contents = [make_artifact(tmp_path / "sources", cap) for cap in (LOOSE + 1, STRICT)]
    for _ in range(100):
        for content in contents:
            put(path, content)
    becomes(client, "deny")
    time.sleep(0.2)
    assert client.verdict(PAYMENT) == "deny"
    assert client.status()["reload"]["failed"] == 0


def test_without_file_events_the_disk_is_polled(
    on: Callable[..., InProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("inotify instance limit reached")

    monkeypatch.setattr("policyc_server.watch.Observer", refuse)
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path, poll=0.1)
    artifact_at(path, STRICT)
    becomes(client, "deny")
    assert "inotify" in client.status()["reload"]["events_error"]


def test_the_same_content_is_not_activated_again(on: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 3: with the activation time, alarms and caches of others move."""
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path)
    before = client.status()
    put(path, path.read_bytes())
    eventually(lambda: client.status()["reload"]["unchanged"] > before["reload"]["unchanged"], 5)
    assert client.status()["policy"] == before["policy"]
    assert client.status()["reload"]["activated"] == 1


def test_sources_with_errors_name_them(on: Callable[..., InProcess], tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b", LOOSE)
    client = on(folder)
    (folder / "policies" / "agent.yaml").write_text("policy: agent\nrules:\n  - verdict: alow\n")
    fails(client)
    error = client.status()["reload"]["error"]
    assert "policies/agent.yaml:3:" in error["message"]
    assert client.verdict(PAYMENT) == "allow"
    assert client.get("/health").status_code == 200
    write_bundle(folder, STRICT)
    becomes(client, "deny")


def test_a_failed_load_is_tried_again(
    on: Callable[..., InProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault may be the machine's, and then the file will not change."""
    import policyc_server.loader as loader

    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path, poll=0.1)
    real, is_short_of_memory = loader.load_target, threading.Event()
    is_short_of_memory.set()

    def flaky(*args: Any, **options: Any) -> Any:
        if is_short_of_memory.is_set():
            raise MemoryError
        return real(*args, **options)

    monkeypatch.setattr(loader, "load_target", flaky)
    artifact_at(path, STRICT)
    assert fails(client) == "internal_error"
    assert client.verdict(PAYMENT) == "allow"
    is_short_of_memory.clear()
    becomes(client, "deny")


def test_decisions_never_mix_revisions(on: Callable[..., InProcess], tmp_path: Path) -> None:
    """Row 20: swaps under parallel decisions crash others, or mix two policies."""
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    contents = [make_artifact(tmp_path / "sources", cap) for cap in (STRICT, LOOSE)]
    client = on(path)
    verdicts: dict[str, set[str]] = {}
    is_over = threading.Event()

    def decide() -> None:
        while not is_over.is_set():
            answers = client.post("/v1/evaluate", [PAYMENT] * 20).json()
            assert len({answer["revision"] for answer in answers}) == 1
            for answer in answers:
                verdicts.setdefault(answer["revision"], set()).add(answer["verdict"])

    threads = [threading.Thread(target=decide) for _ in range(3)]
    for thread in threads:
        thread.start()
    for content in contents * 10:
        before = client.status()["reload"]["activated"]
        put(path, content)
        eventually(lambda before=before: client.status()["reload"]["activated"] > before, 5)
    is_over.set()
    for thread in threads:
        thread.join()
    assert sorted(map(sorted, verdicts.values())) == [["allow"], ["deny"]]


def evaluators() -> int:
    gc.unfreeze()
    return sum(type(thing) is Evaluator for thing in gc.get_objects())


def test_a_replaced_policy_is_freed_without_a_collection(
    on: Callable[..., InProcess], tmp_path: Path
) -> None:
    """Loaded policies are kept out of garbage collection, so a cycle in one would stay for ever."""
    path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
    client = on(path)
    gc.unfreeze()
    gc.collect()
    gc.disable()
    try:
        before = evaluators()
        for cap, verdict in [(STRICT, "deny"), (LOOSE, "allow"), (STRICT, "deny")]:
            artifact_at(path, cap)
            becomes(client, verdict)
        assert evaluators() == before
    finally:
        gc.enable()


class TestSigned:
    """With a key, every reload is verified like the first load."""

    @pytest.fixture
    def path(self, tmp_path: Path, keys: Keys) -> Path:
        return artifact_at(tmp_path / "p.tar.gz", LOOSE, key=keys.signing, version=5)

    @pytest.fixture
    def client(self, on: Callable[..., InProcess], path: Path, keys: Keys) -> InProcess:
        return on(path, verify_keys=(keys.verification,))

    def test_newer_is_served(self, client: InProcess, path: Path, keys: Keys) -> None:
        artifact_at(path, STRICT, key=keys.signing, version=6)
        becomes(client, "deny")
        policy = client.status()["policy"]
        assert (policy["version"], policy["signed_by"]) == (6, "release")

    def refused(self, client: InProcess, path: Path, content: bytes) -> str:
        before = client.status()["policy"]
        put(path, content)
        code = fails(client)
        assert client.status()["policy"] == before
        assert client.verdict(PAYMENT) == "allow"
        assert client.get("/health").status_code == 200
        return code

    def test_unsigned(self, client: InProcess, path: Path, tmp_path: Path) -> None:
        """Row 10: hot reload took unsigned files."""
        assert self.refused(client, path, make_artifact(tmp_path / "s", STRICT)) == "signature_missing"

    def test_another_key(self, client: InProcess, path: Path, tmp_path: Path, other_keys: Keys) -> None:
        content = make_artifact(tmp_path / "s", STRICT, key=other_keys.signing, version=9)
        assert self.refused(client, path, content) in ("signature_invalid", "algorithm_not_trusted")

    def test_truncated(self, client: InProcess, path: Path, tmp_path: Path, keys: Keys) -> None:
        content = make_artifact(tmp_path / "s", STRICT, key=keys.signing, version=9)
        assert self.refused(client, path, content[:-20])

    def test_tampered(self, client: InProcess, path: Path, tmp_path: Path, keys: Keys) -> None:
        content = bytearray(make_artifact(tmp_path / "s", STRICT, key=keys.signing, version=9))
        content[len(content) // 2] ^= 1
        assert self.refused(client, path, bytes(content))

    def test_older(self, client: InProcess, path: Path, tmp_path: Path, keys: Keys) -> None:
        content = make_artifact(tmp_path / "s", STRICT, key=keys.signing, version=4)
        assert self.refused(client, path, content) == "version_too_old"

    def test_other_content_under_the_same_version(
        self, client: InProcess, path: Path, tmp_path: Path, keys: Keys
    ) -> None:
        content = make_artifact(tmp_path / "s", STRICT, key=keys.signing, version=5)
        assert self.refused(client, path, content) == "version_conflict"

    def test_another_bundle(self, client: InProcess, path: Path, tmp_path: Path, keys: Keys) -> None:
        content = make_artifact(tmp_path / "s", STRICT, key=keys.signing, version=9, name="other")
        assert self.refused(client, path, content) == "bundle_changed"

    def test_sources_in_its_place(self, client: InProcess, path: Path) -> None:
        path.unlink()
        write_bundle(path, STRICT)
        assert fails(client)
        assert client.verdict(PAYMENT) == "allow"

    def test_the_same_content_signed_anew(
        self, client: InProcess, path: Path, tmp_path: Path, keys: Keys
    ) -> None:
        before = client.status()["policy"]
        put(path, make_artifact(tmp_path / "s", LOOSE, key=keys.signing, version=8))
        eventually(lambda: client.status()["policy"]["version"] == 8, 5)
        assert client.status()["policy"] == {**before, "version": 8}
        assert self.refused(client, path, make_artifact(tmp_path / "s", STRICT, key=keys.signing, version=7))

    def test_a_key_can_be_rotated(
        self, on: Callable[..., InProcess], path: Path, keys: Keys, other_keys: Keys
    ) -> None:
        """Row 10: two trusted keys at once."""
        client = on(path, verify_keys=(keys.verification, other_keys.verification))
        artifact_at(path, STRICT, key=other_keys.signing, version=6)
        becomes(client, "deny")
        assert client.status()["policy"]["signed_by"] == "other"


class TestStale:
    """Row 23: a policy that nobody can confirm is not served for ever."""

    def test_a_broken_artifact_goes_stale_and_recovers(
        self, on: Callable[..., InProcess], tmp_path: Path
    ) -> None:
        path = artifact_at(tmp_path / "p.tar.gz", LOOSE)
        client = on(path, max_stale=1.0)
        put(path, b"broken")
        eventually(lambda: client.get("/health").status_code == 503, 5)
        assert client.get("/health").json()["status"] == "policy_stale"
        assert client.status()["status"] == "policy_stale"
        decision = client.post("/v1/evaluate", PAYMENT).json()
        assert (decision["verdict"], decision["reason_code"]) == ("deny", "policy_stale")
        blocked = client.post("/v1/enforce", PAYMENT)
        assert blocked.json()["error"]["metadata"]["reason_code"] == "policy_stale"
        event = {"tool_call": {"name": "read_file", "args": {"path": "a"}}}
        assert client.post("/v1/hooks/pre_tool_execution", event).json()["decision"] == "deny"
        artifact_at(path, LOOSE)
        becomes(client, "allow")
        assert client.get("/health").status_code == 200

    def test_what_does_not_change_stays_fresh(self, on: Callable[..., InProcess], tmp_path: Path) -> None:
        client = on(artifact_at(tmp_path / "p.tar.gz", LOOSE), max_stale=1.0)
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            assert client.verdict(PAYMENT) == "allow"
            assert client.status()["policy_age_seconds"] < 1
            time.sleep(0.05)
