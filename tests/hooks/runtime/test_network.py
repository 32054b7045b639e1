import json

import pytest

from policyc.hooks.errors import HooksError
from policyc.hooks.runtime import Network, load_network, read_network

ALLOWLIST = [
    {"domain": "telemetry.example.com", "transform": {"Authorization": "Bearer ${TOKEN}", "X-Team": "blue"}},
    {"domain": "*.example.com", "transform": {"authorization": "Bearer shared", "X-All": "1"}},
    {"domain": "other.test"},
]
ENV = {"TOKEN": "token-from-the-environment"}


@pytest.mark.parametrize(
    ("domain", "allowed", "refused"),
    [
        (
            "api.example.com",
            ["api.example.com"],
            ["example.com", "x.api.example.com", "api.example.com.evil.test"],
        ),
        ("API.Example.com", ["api.example.com"], ["example.com"]),
        (
            "*.example.com",
            ["a.example.com", "a.b.example.com"],
            ["example.com", "notexample.com", "example.com.a"],
        ),
        ("*", ["example.com", "a.test"], []),
    ],
)
def test_the_allowlist(domain, allowed, refused):
    network = read_network({"allowlist": [{"domain": domain}]}, {})
    assert [host for host in allowed + refused if network.allows(host)] == allowed


def test_without_a_network_no_host_is_allowed():
    assert not Network().allows("example.com")
    assert not read_network({"allowlist": []}, {}).allows("example.com")


@pytest.mark.parametrize(
    "around", [lambda network: network, lambda network: {"type": "remote", "network": network}]
)
def test_transforms_are_filled_in_and_the_more_exact_one_counts(around):
    network = read_network(around({"allowlist": ALLOWLIST}), ENV)
    assert network.headers("telemetry.example.com") == {
        "authorization": "Bearer token-from-the-environment",
        "x-team": "blue",
        "x-all": "1",
    }
    assert network.headers("a.example.com") == {"authorization": "Bearer shared", "x-all": "1"}
    assert network.headers("other.test") == network.headers("example.com") == {}
    assert network.variables == {"TOKEN"}


def test_an_exact_domain_wins_over_a_wildcard_of_the_same_length():
    entries = [("a.example.com", "exact"), ("*.example.com", "wide"), ("*", "all")]
    allowlist = [{"domain": domain, "transform": {"X": value}} for domain, value in entries]
    for order in (allowlist, allowlist[::-1]):
        assert read_network({"allowlist": order}, {}).headers("a.example.com") == {"x": "exact"}


def test_secrets_are_never_shown():
    network = read_network({"allowlist": ALLOWLIST}, ENV)
    assert ENV["TOKEN"] not in repr(network) + str(network)
    echoed = f"got Bearer {ENV['TOKEN']}, so {ENV['TOKEN']} is wrong; 1 of 2"
    assert network.redacted(echoed) == "got [redacted], so [redacted] is wrong; 1 of 2"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "no list network.allowlist"),
        ({}, "no list network.allowlist"),
        ({"network": None}, "no list network.allowlist"),
        ({"network": "disabled"}, "no list network.allowlist"),
        ({"allowlist": ["example.com"]}, r"allowlist\[0\].domain is not a host"),
        ({"allowlist": [{"domain": "*"}, {"domain": "https://example.com"}]}, r"allowlist\[1\].domain"),
        ({"allowlist": [{"domain": "a.*.com"}]}, r"allowlist\[0\].domain"),
        ({"allowlist": [{"domain": "*", "transform": ["x"]}]}, r"transform is not an object"),
        ({"allowlist": [{"domain": "*", "transform": {"X": 1}}]}, r"transform.X is not a string"),
        ({"allowlist": [{"domain": "*", "transform": {"X": "${NOPE}"}}]}, "environment variable NOPE"),
        ({"allowlist": [{"domain": "*", "transform": {"X Y": "hush-hush"}}]}, "printable ASCII"),
        ({"allowlist": [{"domain": "*", "transform": {"X": "hush-hush\r\nY: 1"}}]}, "printable ASCII"),
        ({"allowlist": [{"domain": "*", "transform": {"X": "${BAD}"}}]}, "printable ASCII"),
    ],
)
def test_what_is_no_network(document, message):
    with pytest.raises(HooksError, match=message) as caught:
        read_network(document, {"BAD": "hush-hush\x00"})
    assert caught.value.code == "network_invalid"
    assert "hush" not in str(caught.value)


def test_a_file(tmp_path):
    path = tmp_path / "network.json"
    path.write_text(json.dumps({"network": {"allowlist": ALLOWLIST}}))
    assert load_network(path, ENV).allows("other.test")
    path.write_text("{")
    with pytest.raises(HooksError, match="usable JSON") as caught:
        load_network(path, ENV)
    assert caught.value.code == "network_invalid"
