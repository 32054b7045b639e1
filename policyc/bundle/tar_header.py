"""Tar headers, read strictly: what is not a plain file or folder with a plain size is refused.

The standard library's tarfile follows sizes and types out of pax and GNU extension records, which lets an
archive say one thing to it and another to other readers; here there is one meaning or an error.
Format: POSIX.1-2001 pax, https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from policyc.bundle.errors import BundleError, quote

BLOCK: Final = 512
FILE: Final = "file"
FOLDER: Final = "folder"
PAX: Final = "pax header"
LONG_NAME: Final = "GNU long name"

_KINDS: Final = {b"0": FILE, b"\0": FILE, b"5": FOLDER, b"x": PAX, b"L": LONG_NAME}
_REFUSED: Final = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"7": "a contiguous file",
    b"S": "a sparse file",
    b"K": "a link with a long target",
    b"g": "a global pax header",
    b"D": "a GNU folder dump",
    b"M": "a continued file",
}
_OCTAL: Final = re.compile(rb" *([0-7]+)[ \0]*")
_PAX_RECORD: Final = re.compile(rb"([1-9][0-9]{0,7}) ([^=\n]+)=")
# These change what the entry is or how long it is; the rest of pax (times, owners, attributes) is no matter.
_PAX_REFUSED: Final = re.compile(r"size|linkpath|hdrcharset|charset|GNU\.sparse\..*|SCHILY\.realsize")


class Header(NamedTuple):
    """One header block."""

    name: str
    kind: str
    size: int


def parse_header(block: bytes) -> Header:
    """The header in a block of 512 bytes; BundleError `archive_damaged` or `unsupported_entry`."""
    if len(block) != BLOCK or _number(block[148:156], "checksum") != _checksum(block):
        raise BundleError("archive_damaged", "a tar header is damaged: its checksum does not match")
    posix = block[257:265] == b"ustar\x0000"
    if not posix and block[257:265] != b"ustar  \0":
        raise BundleError("unsupported_entry", "an entry has neither a POSIX nor a GNU tar header")
    name = _text(block[:100].partition(b"\0")[0])
    prefix = _text(block[345:500].partition(b"\0")[0]) if posix else ""  # GNU keeps other things there
    if prefix:
        name = f"{prefix}/{name}"
    flag = block[156:157]
    if flag not in _KINDS:
        found = _REFUSED.get(flag, f"of the unknown type {quote(flag.decode('latin-1'))}")
        raise BundleError("unsupported_entry", f"the entry {quote(name)} is {found}")
    return Header(name, _KINDS[flag], _number(block[124:136], "size"))


def parse_pax(content: bytes) -> str | None:
    """The path that a pax header gives to the next entry, None where it gives none; BundleError otherwise."""
    path = None
    position = 0
    while position < len(content):
        match = _PAX_RECORD.match(content, position)
        end = position + int(match[1]) if match else 0
        if not match or end <= match.end() or content[end - 1 : end] != b"\n":
            raise BundleError("archive_damaged", "a pax header is damaged")
        key, value = _text(match[2]), content[match.end() : end - 1]
        if _PAX_REFUSED.fullmatch(key) or (key == "path" and path is not None):
            raise BundleError(
                "unsupported_entry", f"a pax header sets {quote(key)}, which could change the entry"
            )
        if key == "path":
            path = _text(value)
        position = end
    return path


def parse_long_name(content: bytes) -> str:
    """The name in the body of a GNU long name entry."""
    return _text(content.removesuffix(b"\0"))


def _checksum(block: bytes) -> int:
    return sum(block[:148]) + 8 * ord(" ") + sum(block[156:])


def _number(field: bytes, what: str) -> int:
    match = _OCTAL.fullmatch(field)
    if match is None:
        # Also the base-256 form, which only a file beyond 8 GiB needs and which can be negative.
        raise BundleError("archive_damaged", f"a tar header is damaged: its {what} is not an octal number")
    return int(match[1], 8)


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise BundleError("unsafe_path", f"the name {quote(raw.decode('latin-1'))} is not UTF-8") from None
