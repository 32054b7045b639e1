"""A bundle by URL, against a real server that does what real ones do: rows 1 to 9 of what users of another
bundle server complain about, and the ways in which an answer can be wrong."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from policyc_server import create_app
from policyc_server.remote import fetch, subscription
from policyc_server.remote.url import BundleUrl
from policyc_server.settings import Settings

from policyc.bundle.archive import Limits
from server.in_process import InProcess
from server.material import PAYMENT, Keys, make_artifact
from server.process import ServerProcess, eventually
from server.remote.source_server import Answers, source_server

pytestmark = pytest.mark.slow


QUICK = 0.1

Client = Callable[..., InProcess]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return tmp_path / "sources"


def subscribe(client_of: Client, source: Answers, **changes: Any) -> InProcess:
    return client_of(BundleUrl(source.url), **{"refresh": QUICK, **changes})


def serve_once(source: Answers, **changes: Any) -> None:
    """A server that starts, serves what is there, and stops."""
    app = create_app(Settings(BundleUrl(source.url), **changes))
    assert app.serving.snapshot is not None
    app.close()


def download(client: InProcess) -> dict[str, Any]:
    found: dict[str, Any] = client.status()["download"]
    return found


def error(client: InProcess) -> str | None:
    found = client.status()["reload"]["error"]
    return None if found is None else str(found["code"])


def looks(source: Answers, count: int = 2) -> None:
    """Waits for whole looks from now on."""
    now = len(source.asked)
    eventually(lambda: len(source.asked) >= now + count + 1)


def test_it_is_fetched_served_and_followed(client_of: Client, source: Answers, sources: Path) -> None:
    source.content, source.etag = make_artifact(sources, 1), '"e1"'
    client = subscribe(client_of, source)
    assert client.verdict(PAYMENT) == "deny"
    found = download(client)
    assert (found["etag"], found["http_status"], found["served_from"]) == ('"e1"', 200, "source")
    eventually(lambda: download(client)["http_status"] == 304)
    source.content, source.etag = make_artifact(sources), '"e2"'
    eventually(lambda: client.verdict(PAYMENT) == "allow")
    eventually(lambda: download(client)["etag"] == '"e2"')


def test_row_1_an_etag_counts_only_once_it_is_served(
    client_of: Client, source: Answers, sources: Path
) -> None:
    source.content, source.etag = make_artifact(sources, 1), '"e1"'
    client = subscribe(client_of, source)
    source.content, source.etag = b"broken", '"e2"'
    eventually(lambda: error(client) is not None)
    looks(source)
    assert {asked.etag for asked in source.asked[-2:]} == {'"e1"'}
    assert client.verdict(PAYMENT) == "deny"
    source.content = make_artifact(sources)
    eventually(lambda: client.verdict(PAYMENT) == "allow")
    assert error(client) is None


def test_row_2_a_304_without_an_etag_keeps_it(client_of: Client, source: Answers, sources: Path) -> None:
    source.content, source.etag, source.etag_on_304 = make_artifact(sources), '"e1"', False
    subscribe(client_of, source)
    looks(source, 4)
    assert [asked.etag for asked in source.asked] == [None, *['"e1"'] * (len(source.asked) - 1)]


@pytest.mark.parametrize("etags", [(None, None), ('"e1"', '"e2"'), ('"e1"', None)])
def test_row_3_the_same_bytes_are_not_activated_again(
    client_of: Client, source: Answers, sources: Path, etags: tuple[str | None, str | None]
) -> None:
    source.content, source.etag = make_artifact(sources), etags[0]
    client = subscribe(client_of, source)
    before = client.status()
    source.etag = etags[1]
    looks(source, 3)
    after = client.status()
    assert after["policy"]["activated_at"] == before["policy"]["activated_at"]
    assert after["reload"] == before["reload"]
    assert after["download"]["etag"] == etags[1]


def test_the_same_etag_with_other_bytes_is_served(client_of: Client, source: Answers, sources: Path) -> None:
    source.content, source.etag, source.is_conditional = make_artifact(sources, 1), '"e1"', False
    client = subscribe(client_of, source)
    source.content = make_artifact(sources)
    eventually(lambda: client.verdict(PAYMENT) == "allow")


def test_rows_4_5_8_and_9_the_exact_bytes_and_the_etag_outlive_a_restart(
    client_of: Client, sources: Path, tmp_path: Path, keys: Keys
) -> None:
    state = tmp_path / "state"
    content = make_artifact(sources, 1, key=keys.signing, version=3)
    trusted = {"verify_keys": (keys.verification,), "state": state}
    with source_server() as source:
        source.content, source.etag = content, '"e1"'
        serve_once(source, **trusted)
        port = source.port
    assert (state / "bundle.tar.gz").read_bytes() == content
    client = client_of(BundleUrl(source.url), refresh=QUICK, **trusted)
    assert client.verdict(PAYMENT) == "deny"
    assert client.status()["policy"]["version"] == 3
    assert download(client)["served_from"] == "copy"
    eventually(lambda: error(client) == "download_failed")
    with source_server(port) as source:
        source.content, source.etag = content, '"e1"'
        eventually(lambda: download(client)["served_from"] == "source")
        assert error(client) is None
        assert {asked.etag for asked in source.asked} == {'"e1"'}


def test_row_5_a_kept_copy_is_verified_with_the_keys_of_now(
    source: Answers, sources: Path, tmp_path: Path, keys: Keys, other_keys: Keys
) -> None:
    source.content = make_artifact(sources, key=keys.signing)
    serve_once(source, state=tmp_path, verify_keys=(keys.verification,))
    source.status = 500
    app = create_app(Settings(BundleUrl(source.url), state=tmp_path, verify_keys=(other_keys.verification,)))
    assert app.serving.snapshot is None
    app.close()


@pytest.mark.parametrize("spoil", [b"", b"\0" * 4000, "cut", "garbled", "note"])
def test_row_6_a_damaged_copy_is_no_reason_to_end(
    serve: Callable[..., ServerProcess], sources: Path, tmp_path: Path, spoil: bytes | str
) -> None:
    copy, note = tmp_path / "bundle.tar.gz", tmp_path / "bundle.json"
    options = ("--state", tmp_path, "--refresh", "0.2")
    with source_server() as source:
        source.content, source.etag = make_artifact(sources), '"e1"'
        serve(source.url, *options).ready().stop()
    whole = copy.read_bytes()
    if spoil == "note":
        note.write_bytes(b"{")
    else:
        damaged = {"cut": whole[:300], "garbled": whole[:100] + b"!" + whole[101:]}
        copy.write_bytes(spoil if isinstance(spoil, bytes) else damaged[spoil])
    server = serve(source.url, *options)
    line = eventually(
        lambda: next((it for it in server.lines if it.startswith("denying everything")), None), 30
    )
    assert "kept copy" in server.stderr
    port = int(line.rsplit(":", 1)[1])
    with source_server(source.port) as again:
        again.content, again.etag = whole, '"e1"'
        server.port, server.url = port, f"http://127.0.0.1:{port}"
        server.client = httpx.Client(base_url=server.url)
        eventually(lambda: server.verdict(PAYMENT) == "allow")
        # The ETag of bytes that are not there any more would have been answered 304 for ever.
        assert again.asked[0].etag is None
        eventually(lambda: copy.read_bytes() == whole)
        assert server.stop() == 0


def test_row_7_a_copy_that_cannot_be_kept_is_one_warning(
    client_of: Client, source: Answers, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(subscription._log, "warning", lambda text, *args: said.append(text % args))
    (tmp_path / "bundle.tar.gz").mkdir()  # root may write anywhere, but not over a folder
    source.content, source.etag = make_artifact(sources), '"e1"'
    client = subscribe(client_of, source, state=tmp_path)
    assert client.verdict(PAYMENT) == "allow"
    looks(source, 3)
    assert source.full_answers() == 1
    assert "copy_unwritable" in download(client)["copy_error"]
    assert [text for text in said if "no copy of it can be kept" in text] == said[-1:]
    assert error(client) is None


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"status": 404}, "download_failed"),
        ({"status": 500}, "download_failed"),
        ({"status": 204, "content": b""}, "download_failed"),
        ({"cut_at": 200}, "download_failed"),
        ({"content": b""}, "not_gzip"),
        ({"content": b"<html>log in</html>"}, "not_gzip"),
        ({"claimed_length": 10**9}, "too_large"),
        ({"status": 302, "location": "http://policy.example/x"}, "download_refused"),
        ({"status": 302, "location": "/round"}, "download_refused"),
    ],
)
def test_what_is_wrong_keeps_the_last_good_policy_and_says_why(
    client_of: Client, source: Answers, sources: Path, fault: dict[str, Any], code: str
) -> None:
    good = make_artifact(sources, 1)
    source.content, source.etag = good, '"e1"'
    client = subscribe(client_of, source)
    source.content, source.etag = make_artifact(sources), '"e2"'
    for name, value in fault.items():
        setattr(source, name, value)
    eventually(lambda: error(client) == code)
    assert client.verdict(PAYMENT) == "deny"
    assert client.get("/health").status_code == 200
    for name in fault:
        setattr(source, name, getattr(Answers(), name))
    source.content = make_artifact(sources)
    eventually(lambda: client.verdict(PAYMENT) == "allow")
    assert error(client) is None


def test_a_slow_answer_is_given_up_and_a_large_one_not_read(
    client_of: Client, source: Answers, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.content, source.etag = make_artifact(sources, 1), '"e1"'
    client = subscribe(client_of, source, download_deadline=0.2)
    source.content, source.etag, source.pause = make_artifact(sources), '"e2"', 0.4
    eventually(lambda: error(client) == "download_slow")
    source.pause = 0.0
    monkeypatch.setattr(fetch, "DEFAULT_LIMITS", Limits(compressed=100))
    eventually(lambda: error(client) == "too_large")
    assert client.verdict(PAYMENT) == "deny"


def test_a_tampered_an_unsigned_and_an_older_one_are_refused(
    client_of: Client, source: Answers, sources: Path, tmp_path: Path, keys: Keys, other_keys: Keys
) -> None:
    signed = make_artifact(sources, 1, key=keys.signing, version=5)
    source.content, source.etag = signed, '"e1"'
    client = subscribe(client_of, source, state=tmp_path / "state", verify_keys=(keys.verification,))
    for number, (content, code) in enumerate(
        [
            (make_artifact(sources, 2), "unsigned"),
            (make_artifact(sources, 2, key=other_keys.signing, version=6), "signature"),
            (make_artifact(sources, 2, key=keys.signing, version=4), "version_too_old"),
            (make_artifact(sources, 2, key=keys.signing, version=5), "version_conflict"),
            (make_artifact(sources, 2, key=keys.signing, version=9, name="other"), "bundle_changed"),
        ]
    ):
        source.content, source.etag = content, f'"bad{number}"'
        before = client.status()["reload"]["failed"]
        eventually(lambda before=before: client.status()["reload"]["failed"] > before + 1)
        assert error(client) is not None
        if code.startswith(("version", "bundle")):
            assert error(client) == code
        assert client.status()["policy"]["version"] == 5
    kept = (tmp_path / "state" / "bundle.tar.gz").read_bytes()
    assert hashlib.sha256(kept).digest() == hashlib.sha256(signed).digest()


def test_max_stale_ends_decisions_while_the_source_is_away(
    client_of: Client, source: Answers, sources: Path
) -> None:
    source.content, source.etag = make_artifact(sources), '"e1"'
    client = subscribe(client_of, source, refresh=60.0, max_stale=1.0)
    time.sleep(1.5)  # confirmed by looks that max_stale made more frequent
    assert client.verdict(PAYMENT) == "allow"
    source.status = 503
    eventually(lambda: client.verdict(PAYMENT) == "deny")
    assert client.get("/health").json()["status"] == "policy_stale"
    source.status = 200
    eventually(lambda: client.verdict(PAYMENT) == "allow")


def test_the_credential_goes_to_the_host_of_the_url_alone(
    client_of: Client, source: Answers, sources: Path
) -> None:
    with source_server() as elsewhere:
        elsewhere.content = make_artifact(sources)
        source.status, source.location = 302, elsewhere.url
        client = subscribe(client_of, source, bundle_header="Private-Token: s3cret")
        assert client.verdict(PAYMENT) == "allow"
        assert source.asked[0].headers["private-token"] == "s3cret"
        assert "private-token" not in elsewhere.asked[0].headers
        assert "s3cret" not in client.get("/v1/status").text


def test_a_query_is_not_shown(client_of: Client, source: Answers, sources: Path) -> None:
    source.content = make_artifact(sources)
    client = client_of(BundleUrl(f"{source.url}?sig=s3cret"), refresh=QUICK)
    assert source.asked[0].path.endswith("?sig=s3cret")
    source.status = 403
    eventually(lambda: error(client) == "download_failed")
    assert "s3cret" not in client.get("/v1/status").text
    assert client.status()["source"] == source.url


def test_a_copy_of_another_url_is_not_served(source: Answers, sources: Path, tmp_path: Path) -> None:
    source.content = make_artifact(sources)
    serve_once(source, state=tmp_path)
    source.status = 500
    app = create_app(Settings(BundleUrl(f"{source.url}?other"), state=tmp_path))
    assert app.serving.snapshot is None
    app.close()
