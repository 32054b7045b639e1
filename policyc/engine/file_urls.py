"""file: URLs, read as browsers read them (https://url.spec.whatwg.org/#file-state)."""

from __future__ import annotations

from policyc.engine.patterns import lazy_pattern

_FILE_URL = lazy_pattern(r"(?i)\s*file:")
_ESCAPES = lazy_pattern(r"(?:%[0-9A-Fa-f]{2})+")
_DRIVE_HOST = lazy_pattern(r"[A-Za-z][:|]")
_DRIVE_FIRST = lazy_pattern(r"/[A-Za-z][:|](?:/|\Z)")
_IGNORED = dict.fromkeys(map(ord, "\t\r\n"))


def is_file_url(text: str) -> bool:
    """Whether ``text`` is a file: URL."""
    return ":" in text and _FILE_URL.match(text) is not None


def path_of(url: str, *, windows: bool, shares: bool) -> str:
    """The path of a file: URL, always absolute. ``windows``: a drive may come first (``/C:/``, ``/C|/``);
    ``shares``: a host is a server, where it is dropped otherwise. No query, no fragment."""
    rest = url.partition(":")[2].translate(_IGNORED).replace("\\", "/")
    rest = decode_percent(rest.partition("?")[0].partition("#")[0]).replace("\\", "/")
    host = ""
    if rest.startswith("//"):
        host, _, rest = rest[2:].partition("/")
        if _DRIVE_HOST.fullmatch(host):
            host, rest = "", f"{host}/{rest}"
    rest = "/" + rest.lstrip("/")
    if windows and _DRIVE_FIRST.match(rest):
        return f"{rest[1]}:/{rest[4:]}"
    return f"\\\\{host}{rest}" if shares and host.lower() not in ("", "localhost") else rest


def decode_percent(text: str) -> str:
    """``text`` with each ``%2e`` decoded once, as UTF-8 with U+FFFD for what is none."""
    if "%" not in text:
        return text
    return _ESCAPES.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text)
