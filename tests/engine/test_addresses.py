import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.addresses import AddressError, parse_address, parse_network

ODD = st.text(alphabet="0123456789abcdef:.%/x ", max_size=24)


def theirs(text):
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.version, int(address)


@given(st.one_of(st.ip_addresses().map(str), ODD))
def test_an_address_is_what_ipaddress_says(text):
    assert parse_address(text) == theirs(text)


@pytest.mark.parametrize(
    "text",
    [
        "::",
        "::1",
        "1::",
        "1:2:3:4:5:6:7:8",
        "::ffff:1.2.3.4",
        "1:2:3:4:5:6:1.2.3.4",
        "fe80::1%eth0",
        "1:2:3:4:5:6:7::",
        "",
        ":",
        ":::",
        "1::2::3",
        "1:2:3:4:5:6:7:8:9",
        "::1.2.3.4.5",
        "1.2.3.4:5",
        "01.2.3.4",
        "1.2.3",
        "12345::",
        "fe80::1%",
    ],
)
def test_spellings(text):
    assert parse_address(text) == theirs(text)


@given(st.ip_addresses(v=4), st.ip_addresses(v=4), st.integers(0, 32))
def test_ipv4_blocks(base, address, prefix):
    network = ipaddress.ip_network(f"{base}/{prefix}", strict=False)
    ours = parse_network(f"{base}/{prefix}")
    assert (parse_address(str(address)) in ours) is (address in network)
    assert ours.host_bits_set is (network.network_address != base)


@given(st.ip_addresses(v=6), st.ip_addresses(v=6), st.integers(0, 128))
def test_ipv6_blocks(base, address, prefix):
    if base.ipv4_mapped or address.ipv4_mapped:
        return
    network = ipaddress.ip_network(f"{base}/{prefix}", strict=False)
    assert (parse_address(str(address)) in parse_network(f"{base}/{prefix}")) is (address in network)


def test_a_mapped_address_is_inside_the_ipv4_block_and_the_other_way_round():
    assert parse_address("::ffff:10.1.2.3") in parse_network("10.0.0.0/8")
    assert parse_address("10.1.2.3") in parse_network("::ffff:10.0.0.0/104")
    assert parse_address("10.1.2.3") not in parse_network("::/0")


def test_a_bare_address_is_a_block_of_one():
    assert parse_address("10.0.0.1") in parse_network("10.0.0.1")
    assert parse_address("10.0.0.2") not in parse_network("10.0.0.1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "ten/8",
        "::/129",
        "::ffff:0.0.0.0/8",
        "10.0.0.0/٣",
        "fe80::1%e/64",
    ],
)
def test_a_bad_block_is_refused(text):
    with pytest.raises(AddressError):
        parse_network(text)
