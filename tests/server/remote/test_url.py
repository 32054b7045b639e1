"""Which URLs are asked, and how they are shown."""

from __future__ import annotations

import pytest
from policyc_server.remote.url import BundleUrl, is_url, origin, url_problem
from policyc_server.settings import Settings, check_settings


@pytest.mark.parametrize(
    "url",
    ["https://policy.example/b.tar.gz", "http://127.0.0.1:8000/b", "http://localhost/b", "http://[::1]:1/b"],
)
def test_these_are_asked(url: str) -> None:
    assert is_url(url)
    assert url_problem(url) is None


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://policy.example/b", "this machine alone"),
        ("http://127.0.0.1.policy.example/b", "this machine alone"),
        ("https://user:pass@policy.example/b", "credential"),
        ("https:///b", "no host"),
        ("https://policy.example:port/b", "no URL"),
        ("ftp://127.0.0.1/b", "neither"),
    ],
)
def test_these_are_not(url: str, said: str) -> None:
    problem = url_problem(url)
    assert problem is not None
    assert said in problem
    codes = [found.code for found in check_settings(Settings(BundleUrl(url)))]
    assert codes == ["bundle_url_invalid"]


def test_a_url_is_shown_without_its_query() -> None:
    url = BundleUrl("https://policy.example/a/b.tar.gz?sig=1#x")
    assert (str(url), url.name) == ("https://policy.example/a/b.tar.gz", "b.tar.gz")
    assert not is_url("./https/b.tar.gz")
    assert origin("https://a/b") == origin("https://a:443/c") != origin("https://a:444/c")


@pytest.mark.parametrize("header", ["Authorization: Bearer x.y", "private-token:abc"])
def test_headers(header: str) -> None:
    assert check_settings(Settings(BundleUrl("https://a/b"), bundle_header=header)) == ()


@pytest.mark.parametrize("header", ["abc", "a b: c", "a: b\r\nc: d", "a:", ": b", "a: ü"])
def test_headers_that_none_can_be(header: str) -> None:
    found = check_settings(Settings(BundleUrl("https://a/b"), bundle_header=header))
    assert [problem.code for problem in found] == ["bundle_header_invalid"]
