import ipaddress
import socket
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.host_names import read_host
from policyc.engine.hosts import check, compile
from policyc.engine.loose_addresses import ipv4_readings

NAMES = [
    ("http://a.com/x", "a.com"),
    ("https://u:p@A.COM.:443/", "a.com"),
    ("a.com", "a.com"),
    ("a.com:80/x", "a.com"),
    ("//a.com/x", "a.com"),
    ("http:a.com", "a.com"),
    ("http:///a.com", "a.com"),
    ("user@a.com", "a.com"),
    ("http://good.com:80@evil.com/", "evil.com"),
    ("http://evil.com#@good.com", "evil.com"),
    ("http://evil.com?@good.com", "evil.com"),
    (" http://a.com\n", "a.com"),
    ("http://ⓔxample。com", "example.com"),
    ("http://bücher.de", "xn--bcher-kva.de"),
    ("http://XN--bcher-kva.de", "xn--bcher-kva.de"),
    ("http://ex%61mple.com", "example.com"),
    ("localhost:8080", "localhost"),
    ("a_b.c", "a_b.c"),
]


@pytest.mark.parametrize(("text", "name"), NAMES)
def test_a_name(text, name):
    assert read_host(text).name == name


LOOPBACK = [
    "127.0.0.1",
    "http://2130706433/",
    "http://0x7f000001",
    "http://0x7f.1",
    "0177.0.0.1",
    "127.1",
    "127.0.1",
    "017700000001",
    "http://127.0.0.1.:80/",
    "http://１２７.0.0.1",
    "http://127。0。0。1",
    "http://①②⑦.0.0.1",
    "http://%31%32%37.0.0.1",
    "http://[::ffff:127.0.0.1]:80/",
    "http://[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "2002:7f00:1::",
    "2001:0:1:2:3:4:80ff:fffe",
    "fe80::5efe:127.0.0.1",
    "::ffff:0:127.0.0.1",
    "0.0.0.0",
    "http://0/",
    "http://localhost/",
    "http://LOCALHOST./",
    "foo.localhost",
    "gopher://127.0.0.1:6379/_x",
    "http://user:pass@127.0.0.1/",
]


@pytest.mark.parametrize("text", LOOPBACK)
def test_a_disguised_loopback_address(text):
    assert compile("127.0.0.0/8")(text) is True


UNREADABLE = [
    "",
    " ",
    "/etc/passwd",
    "file:///etc/passwd",
    "mailto:a@b.com",
    "javascript:alert(1)",
    "URL:http://a.com",
    "http://a.com\\@b.com",
    "http:\\\\a.com",
    "http://a@b@c.com",
    "http://a b.com",
    "http://a.\tcom",
    "http://a.com\0.b.com",
    "http://a.com:99999",
    "http://a.com:x",
    "http://a..com",
    "http://-a.com",
    "http://a%2fb.com",
    "http://a%00.com",
    "http://[::1",
    "http://[::1]x",
    "http://[v1.x]",
    "http://::1/",
    "http://256.1.1.1",
    "http://1.2.3.4.5",
    "http://4294967296",
    "http://0x",
    "http://faß.de",
    "http://a\u200db.com",
    "http://℀.com",
    "http://" + "a" * 300,
    "http://xn--localhost-",
]


@pytest.mark.parametrize("text", [text for text in UNREADABLE if text != "http://0x"])
def test_what_readers_disagree_about_is_unknown(text):
    assert read_host(text) is None
    assert compile("*")(text) is None


def test_names():
    below = compile(["*.example.com", "one.org"])
    assert below("https://a.b.example.com/") is True
    assert below("https://example.com/") is False
    assert below("https://badexample.com/") is False
    assert below("one.org.") is True
    assert below("x.one.org") is False
    assert below("10.0.0.1") is False
    assert below(7) is False
    assert compile("bücher.de")("http://xn--bcher-kva.de") is True
    assert compile("*")("a") is True


def test_blocks():
    private = compile(["10.0.0.0/8", "fd00::/8", "169.254.169.254"])
    assert private("http://[fd00::1]") is True
    assert private("http://169.254.169.254/latest") is True
    assert private("http://0xA9FEA9FE") is True
    assert private("8.8.8.8") is False
    assert private("name.example") is False
    assert private("name.example", resolved=["8.8.8.8", "10.1.1.1"]) is True
    assert private("name.example", every=True, resolved=["8.8.8.8", "10.1.1.1"]) is False
    assert private("name.example", every=True, resolved=["10.1.1.1"]) is True


def test_two_readings_of_one_address():
    assert compile("127.0.0.0/8")("0177.0.0.1") is True
    assert compile("177.0.0.0/8")("0177.0.0.1") is True
    assert compile("127.0.0.0/8")("0177.0.0.1", every=True) is False


@pytest.mark.parametrize("value", ["*", "a.com", ["*.a.com", "10.0.0.0/8"], "::1", "bücher.de", "localhost"])
def test_a_good_value(value):
    assert check(value) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "at least one"),
        (7, "a host"),
        ([None], "a host"),
        ("", "not a host name"),
        ("a.com:80", "port"),
        ("http://a", "not a URL"),
        ("a*.com", "star"),
        ("[::1]", "brackets"),
        ("10.0.0.0/99", "prefix"),
        ("0x7f.1", "four decimal"),
        ("a/b", "not an IP address"),
    ],
)
def test_a_bad_value(value, said):
    assert said in check(value)


odd = st.text(alphabet="aA0x17.:/@[]%\\#?- \t\0é。１", max_size=24)


@given(st.one_of(st.text(max_size=30), odd, odd.map("http://".__add__)))
def test_nothing_raises(text):
    assert compile(["a.com", "10.0.0.0/8", "*.a"])(text) in (True, False, None)


@given(st.text(alphabet="0123456789xaf.", min_size=1, max_size=16))
def test_an_address_is_among_others_what_inet_aton_says(text):
    try:
        expected = int.from_bytes(socket.inet_aton(text), "big")
    except OSError:
        return
    assert (4, expected) in ipv4_readings(text)


@given(st.ip_addresses())
def test_a_plain_address_is_itself(address):
    bracketed = f"[{address}]" if address.version == 6 else str(address)
    mapped = getattr(address, "ipv4_mapped", None) or address
    assert read_host(f"http://u@{bracketed}:8080/x").addresses[0] == (mapped.version, int(mapped))


@given(st.ip_addresses(v=6))
def test_embedded_addresses_are_what_ipaddress_says(address):
    for inner in (address.sixtofour, (address.teredo or (None, None))[1]):
        if inner is not None:
            assert (4, int(ipaddress.ip_address(inner))) in read_host(str(address)).addresses


label = st.text(alphabet="ab1", min_size=1, max_size=5)


@given(st.lists(label, min_size=1, max_size=3).map(".".join).map("{}.com".format), st.integers(0, 65535))
def test_a_plain_url_is_what_urllib_says(name, port):
    url = f"https://user:pw@{name}:{port}/p?q=@x#f@y"
    assert read_host(url).name == urlsplit(url).hostname


def test_long_texts_take_linear_time():
    for unit in ("a", "a.", "1.", "@", ":", "%41", "[", "é", "é。", "/", "0x"):
        read_host("http://" + unit * 100_000)
        read_host(unit * 100_000)
