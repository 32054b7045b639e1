"""Every setting that cannot be served is named before anything listens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from policyc_server import create_app
from policyc_server.settings import Settings, SettingsError, check_settings

from server.material import Keys


def codes(bundle: Path, **changes: Any) -> list[str]:
    return [problem.code for problem in check_settings(Settings(bundle, **changes))]


def test_the_defaults_can_be_served(artifact: Path) -> None:
    assert codes(artifact) == []


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_token(artifact: Path, host: str) -> None:
    assert codes(artifact, host=host) == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "policy.example", ""])
def test_other_machines_need_a_key(artifact: Path, host: str) -> None:
    with pytest.raises(SettingsError) as caught:
        create_app(Settings(artifact, host=host))
    assert [problem.code for problem in caught.value.problems] == ["keys_required"]
    create_app(Settings(artifact, host=host, token="secret")).close()


@pytest.mark.parametrize("token", ["", "two words", "ü", "line\n"])
def test_tokens_that_no_header_can_carry(artifact: Path, token: str) -> None:
    assert codes(artifact, token=token) == ["token_invalid"]


def test_folders_are_refused_with_keys(tmp_path: Path, keys: Keys) -> None:
    assert codes(tmp_path, verify_keys=(keys.verification,)) == ["sources_unsigned"]


def test_state_is_a_folder(artifact: Path, tmp_path: Path, keys: Keys) -> None:
    trusted = (keys.verification,)
    assert codes(artifact, state=tmp_path / "new", verify_keys=trusted) == []
    assert codes(artifact, state=artifact, verify_keys=trusted) == ["state_invalid"]
    assert codes(artifact, state=tmp_path) == []


def test_tls_needs_both_files(artifact: Path, tmp_path: Path) -> None:
    assert codes(artifact, tls_cert=artifact) == ["tls_incomplete"]
    assert codes(artifact, tls_cert=artifact, tls_key=tmp_path / "none") == ["tls_unreadable"]


PROXY: dict[str, Any] = {
    "console_header": "X-User",
    "console_proxies": ("10.0.0.0/8", "::1"),
    "console_users": (("alice", "reviewer"),),
}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"console_proxies": ()}, ["proxy_incomplete"]),
        ({"console_users": ()}, ["proxy_incomplete"]),
        ({"console_header": None}, ["proxy_incomplete"]),
        ({"console_header": None, "console_users": ()}, []),
        ({"console_header": "X User"}, ["proxy_invalid"]),
        ({"console_proxies": ("proxy.example",)}, ["proxy_invalid"]),
        ({"console_proxies": ("10.0.0.1/8",)}, ["proxy_invalid"]),
        ({"console_users": (("alice", "agent"),)}, ["proxy_invalid"]),
        ({"console_users": (("", "admin"),)}, ["proxy_invalid"]),
    ],
)
def test_a_trusted_proxy_is_whole(artifact: Path, changes: dict[str, Any], found: list[str]) -> None:
    assert codes(artifact, **PROXY) == []
    assert codes(artifact, **{**PROXY, **changes}) == found


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("port", -1, "port_invalid"),
        ("port", 65536, "port_invalid"),
        ("body_limit", 0, "body_limit_invalid"),
        ("deadline", -1.0, "deadline_invalid"),
        ("max_stale", 0.5, "max_stale_invalid"),
    ],
)
def test_numbers_out_of_range(artifact: Path, name: str, value: float, code: str) -> None:
    assert codes(artifact, **{name: value}) == [code]


def test_looks_are_frequent_enough_for_max_stale(artifact: Path) -> None:
    assert Settings(artifact).poll_interval == 2
    assert Settings(artifact, max_stale=3).poll_interval == 1
    assert Settings(artifact, max_stale=3600).poll_interval == 2


def test_an_app_names_all_problems(artifact: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        create_app(Settings(artifact, token="", port=-1))
    assert [problem.code for problem in caught.value.problems] == ["token_invalid", "port_invalid"]


def test_the_token_is_not_shown(artifact: Path) -> None:
    assert "hunter2" not in repr(Settings(artifact, token="hunter2"))


@pytest.mark.parametrize(
    "url", ["", "https://policy.example.com", "http://[::1]:8460", "https://a.example/policy"]
)
def test_public_urls(artifact: Path, url: str) -> None:
    assert codes(artifact, public_url=url) == []


@pytest.mark.parametrize(
    "url", ["policy.example.com", "https://a.example/", "https://a.example/?x", "ftp://a"]
)
def test_what_is_no_public_url(artifact: Path, url: str) -> None:
    assert codes(artifact, public_url=url) == ["public_url_invalid"]
