import asyncio
import ipaddress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.hooks.runtime.wire import is_public, resolve, transport


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.9.1",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "240.0.0.1",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd00:ec2::254",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2001:db8::1",
        "localhost",
        "x",
    ],
)
def test_not_public(address):
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_ipv4_as_the_standard_library_says(address):
    assert is_public(str(address)) == (address.is_global and not address.is_multicast)
    for inside in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert is_public(str(ipaddress.ip_address(inside))) <= is_public(str(address))


def test_the_resolver_of_this_machine():
    assert "127.0.0.1" in asyncio.run(resolve("localhost", 443))
    assert asyncio.run(resolve("127.0x1", 443)) == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["no-such-name.invalid", "x" * 64 + ".example.com"])
def test_a_name_without_addresses(host):
    with pytest.raises(OSError, match=r".+"):
        asyncio.run(resolve(host, 443))


def test_the_transport_verifies_certificates_and_takes_no_proxy(server, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{server.port}")

    async def post():
        async with transport() as wire:
            await wire.handle_async_request(httpx.Request("POST", f"https://127.0.0.1:{server.port}/x"))

    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        asyncio.run(post())
    assert server.requests == []


def test_a_lookup_that_hangs_does_not_hold_the_loop(monkeypatch):
    import socket
    import threading

    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: [] if released.wait(60) else None)

    async def given_up():
        async with asyncio.timeout(0.05):
            await resolve("slow.example.com", 443)

    with pytest.raises(TimeoutError):
        asyncio.run(given_up())
    assert not released.is_set()
    released.set()
    for thread in threading.enumerate():
        if thread.name == "resolve":
            thread.join()
