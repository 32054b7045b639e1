import pytest

from policyc.engine.egress import Egress, check

BOTH = {"deny": ["169.254.169.254", "10.0.0.0/8", "evil.com"], "allow": ["api.openai.com", "10.1.0.0/16"]}

TABLE = [
    ("allow", "api.openai.com", (), True),
    ("allow", "https://API.openai.com.:443/v1", (), True),
    ("allow", "10.1.0.1", (), False),  # the exception
    ("allow", "8.8.8.8", (), False),
    ("allow", "evil.com", (), False),
    ("allow", "other.com", (), None),
    ("allow", "api.openai.com", ["10.2.0.1"], False),
    ("allow", "evil.com", ["10.1.0.1"], False),
    ("audit", "api.openai.com", (), True),
    ("deny", "169.254.169.254", (), True),
    ("deny", "http://0xA9FEA9FE/", (), True),
    ("deny", "10.2.0.1", (), True),
    ("deny", "10.1.0.1", (), False),
    ("deny", "evil.com", ["8.8.8.8"], True),
    ("deny", "other.com", (), None),
    ("deny", "other.com", ["8.8.8.8"], False),
    ("deny", "other.com", ["10.2.0.1", "8.8.8.8"], True),
    ("deny", "other.com", ["10.1.0.1"], False),
    ("deny", "other.com", ["10.1.0.1", "10.2.0.1"], True),
    ("deny", "api.openai.com", ["10.2.0.1"], False),
]


@pytest.mark.parametrize(("verdict", "destination", "resolved", "expected"), TABLE)
def test_polarity(verdict, destination, resolved, expected):
    assert Egress(verdict, BOTH).matches(destination, resolved) is expected


def test_a_name_below_an_allowed_one_that_is_no_exception_by_its_address_is_unknown_until_resolved():
    config = {"allow": ["*.example.com"], "deny": ["10.0.0.0/8"]}
    assert Egress("allow", config).matches("a.example.com") is None
    assert Egress("allow", config).matches("a.example.com", ["10.0.0.1"]) is False
    assert Egress("allow", config).matches("a.example.com", ["8.8.8.8"]) is True


@pytest.mark.parametrize("destination", [None, "", "http://a@b@c", "file:///x"])
def test_without_a_readable_destination_it_is_closed(destination):
    assert Egress("deny", BOTH).matches(destination) is True
    assert Egress("allow", BOTH).matches(destination) is False


@pytest.mark.parametrize(
    ("config", "verdict", "said"),
    [
        ([], "deny", "an object"),
        ({"block": []}, "deny", "not a key"),
        ({"deny": "a.com"}, "deny", "a list"),
        ({"deny": []}, "deny", "at least one"),
        ({"deny": ["a:1"]}, "deny", "port"),
        ({"allow": ["a.com"]}, "deny", 'deny: ["*"]'),
        ({"deny": ["a.com"]}, "allow", 'allow: ["*"]'),
    ],
)
def test_a_bad_config(config, verdict, said):
    assert said in check(config, verdict)


def test_a_good_config():
    assert check(BOTH, "allow") is None
    assert check({"deny": ["*"]}, "deny") is None
