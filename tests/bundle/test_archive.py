from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from policyc.bundle.archive import Limits, read_archive, read_archive_file, write_archive
from policyc.bundle.errors import BundleError

from .crafting import END, entry, header, pack, packed, pax, refusal, unpack

FILES = {".manifest": b"{}", "policyc/x/data.json": b"[1]" * 400, "ü/" + "long" * 60: b"z", "a/empty": b""}


def code_of(data: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(BundleError) as caught:
        read_archive(data, limits or Limits())
    return refusal(caught.value)


# Writing.


def test_round_trip_and_the_standard_library_agrees() -> None:
    data = write_archive(FILES)
    assert read_archive(data) == FILES
    assert unpack(data) == FILES


def test_the_same_files_give_the_same_bytes_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    first = write_archive(FILES)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert write_archive(dict(reversed(FILES.items()))) == first


def test_entries_are_sorted_and_say_nothing_of_the_host() -> None:
    with tarfile.open(fileobj=io.BytesIO(write_archive(FILES))) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(FILES)
    for member in members:
        assert (member.mtime, member.uid, member.gid, member.uname, member.gname) == (0, 0, 0, "", "")
        assert member.mode == 0o644
        assert member.isreg()


def test_what_could_not_be_read_is_not_written() -> None:
    for files, limits, code in [
        ({"../a": b""}, Limits(), "unsafe_path"),
        ({"a": b"xx"}, Limits(file=1), "too_large"),
        ({"a": b"", "b": b""}, Limits(entries=1), "too_many_entries"),
        ({"a": b"x" * 100_000}, Limits(total=50_000), "too_large"),
        ({"a": os.urandom(10_000)}, Limits(compressed=5_000), "too_large"),
    ]:
        with pytest.raises(BundleError) as caught:
            write_archive(files, limits)
        assert refusal(caught.value) == code


# Reading what other tools write.


def test_gnu_tar_and_its_long_names_are_read(tmp_path: Path) -> None:
    long = "d" * 90 + "/" + "f" * 90
    (tmp_path / "x" / ("d" * 90)).mkdir(parents=True)
    (tmp_path / "x" / long).write_bytes(b"content")
    (tmp_path / ".manifest").write_bytes(b"{}")
    for tar_format in ("gnu", "pax", "ustar"):
        made = subprocess.run(
            ["tar", "-C", str(tmp_path), f"--format={tar_format}", "-czf", "-", ".manifest", "x"],
            stdout=subprocess.PIPE,
            check=True,
        )
        assert read_archive(made.stdout) == {".manifest": b"{}", f"x/{long}": b"content"}


def test_one_leading_slash_is_taken_off_as_opa_build_writes_it() -> None:
    assert read_archive(packed(entry("/data.json", b"{}"), entry("/.manifest", b"{}"))) == {
        "data.json": b"{}",
        ".manifest": b"{}",
    }
    assert code_of(packed(entry("//data.json"))) == "unsafe_path"


def test_folders_are_skipped_but_counted_and_checked() -> None:
    assert read_archive(packed(entry("a/", kind=b"5"), entry("a/b", b"x"))) == {"a/b": b"x"}
    assert code_of(packed(entry("../", kind=b"5"), entry("a"))) == "unsafe_path"
    assert code_of(packed(entry("a/", b"hidden", kind=b"5"), entry("a/b"))) == "unsupported_entry"
    many = [entry(f"d{number}/", kind=b"5") for number in range(20)]
    assert code_of(packed(*many, entry("a")), Limits(entries=20)) == "too_many_entries"


# Refusing the rest.


@pytest.mark.parametrize(
    "name", ["../x", "a/../x", "./x", "a/./x", "..", "a\\b", "a//b", "x/", "C:\\x", "a\nb", "/", "/../x"]
)
def test_traversal_and_odd_paths(name: str) -> None:
    assert code_of(packed(entry(name))) == "unsafe_path"
    assert code_of(packed(pax(("path", name)), entry("innocent"))) == "unsafe_path"


def test_nul_in_a_path() -> None:
    assert code_of(packed(pax(("path", "a\0b")), entry("innocent"))) == "unsafe_path"
    # In the fixed field a NUL ends the name; what is behind it is nobody's name.
    assert read_archive(packed(header(b"a\0/../b"))) == {"a": b""}


def test_a_path_that_is_too_long() -> None:
    assert code_of(packed(pax(("path", "x/" * 300 + "y")), entry("innocent"))) == "unsafe_path"
    assert code_of(packed(pax(("path", "x" * 70_000)), entry("innocent"))) == "too_large"


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"4", b"6", b"7", b"S", b"g", b"K"])
def test_links_devices_and_sparse_files(kind: bytes) -> None:
    assert code_of(packed(header(b"a", 0, kind, link=b"/etc/passwd"), entry("b"))) == "unsupported_entry"


def test_duplicate_entries() -> None:
    assert code_of(packed(entry("a", b"1"), entry("a", b"2"))) == "duplicate_entry"
    assert code_of(packed(entry("a", b"1"), entry("/a", b"1"))) == "duplicate_entry"
    assert code_of(packed(entry("a", b"1"), pax(("path", "a")), entry("b", b"1"))) == "duplicate_entry"
    assert code_of(pack({".manifest": b"{}", "/.manifest": b"{}"})) == "duplicate_entry"


def test_an_appledouble_stray_from_macos_tar() -> None:
    attributes = pax(("LIBARCHIVE.xattr.com.apple.provenance", "AQ=="), ("mtime", "1700000000.5"))
    assert (
        code_of(packed(attributes, entry("._.manifest", b"Mac OS X"), entry(".manifest", b"{}")))
        == "appledouble_file"
    )


def test_hostile_pax_headers() -> None:
    # A reader that obeys `size` sees one file; one that does not sees a second entry in its content.
    smuggled = entry("policyc/x/data.json", b"evil")
    assert (
        code_of(packed(pax(("size", str(len(smuggled)))), header(b"a", 0), smuggled)) == "unsupported_entry"
    )
    assert code_of(packed(pax(("size", "99999999999999")), entry("a"))) == "unsupported_entry"
    assert code_of(packed(pax(("size", "-512")), entry("a", b"x"))) == "unsupported_entry"
    sparse = pax(
        ("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "1000000000000")
    )
    assert code_of(packed(sparse, entry("a", b"0\n"))) == "unsupported_entry"
    assert code_of(packed(pax(("path", "a")), pax(("path", "b")), entry("c"))) == "unsupported_entry"
    assert code_of(packed(pax(("mtime", "1")), pax(("mtime", "1")), entry("c"))) == "unsupported_entry"
    assert code_of(packed(entry("c"), pax(("path", "a")))) == "archive_damaged"
    assert read_archive(packed(pax(("path", "")), entry("c"))) == {"c": b""}


def test_the_size_in_the_header_cannot_lie() -> None:
    assert code_of(packed(header(b"a", 10_000), b"short")) == "archive_truncated"
    assert code_of(packed(header(b"a", 8**11 - 1))) == "too_large"
    base256 = b"\x80" + bytes(3) + (1 << 40).to_bytes(8, "big")
    assert code_of(packed(header(b"a", size_field=base256))) == "archive_damaged"


def test_the_end_mark() -> None:
    whole = entry("a", b"x")
    assert read_archive(packed(whole, end=bytes(20 * 512))) == {"a": b"x"}
    assert code_of(packed(whole, end=b"")) == "archive_truncated"
    assert code_of(packed(whole, end=bytes(512))) == "archive_truncated"
    assert code_of(packed(whole, end=bytes(700))) == "archive_truncated"
    assert code_of(packed(whole, end=END + entry("b"))) == "trailing_data"
    assert code_of(packed(whole[:-1], end=b"")) == "archive_truncated"


def test_empty_archives() -> None:
    assert code_of(packed()) == "archive_empty"
    assert code_of(packed(entry("a/", kind=b"5"))) == "archive_empty"
    assert code_of(gzip.compress(b"")) == "archive_truncated"
    assert code_of(b"") == "not_gzip"


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_truncated_files(share: float) -> None:
    data = write_archive(FILES)
    assert code_of(data[: int(len(data) * share)]) in {"archive_truncated", "not_gzip"}


def test_every_flipped_byte_is_refused_or_harmless() -> None:
    data = write_archive({"a": b"content", "b": b"more"})
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 0x5A
        try:
            files = read_archive(bytes(changed))
        except BundleError as error:
            refusal(error)
        else:
            assert files == {"a": b"content", "b": b"more"}  # the gzip header's time and system


# Bounds (opa.md section 5 row 16).


def test_limits_hold_while_reading() -> None:
    assert code_of(write_archive(FILES), Limits(compressed=100)) == "too_large"
    assert code_of(packed(entry("a", b"x" * 1001)), Limits(file=1000)) == "too_large"
    assert (
        code_of(packed(*(entry(f"f{n}", b"x" * 1000) for n in range(50))), Limits(total=50_000))
        == "too_large"
    )
    assert code_of(packed(*(entry(f"f{n}") for n in range(11))), Limits(entries=10)) == "too_many_entries"
    assert code_of(packed(entry("a" * 11)), Limits(path=10)) == "unsafe_path"


def test_a_bomb_of_padding_stops_at_the_limit() -> None:
    assert code_of(packed(entry("a"), end=bytes(4_000_000)), Limits(total=1_000_000)) == "too_large"


def test_a_bomb_of_extension_headers_stops_at_the_limit() -> None:
    pairs = [pax(("mtime", "1")) + entry(f"f{number}") for number in range(200)]
    assert code_of(packed(*pairs), Limits(entries=100)) == "too_many_entries"


def test_a_huge_sparse_entry_is_refused_before_any_of_it_is_read() -> None:
    assert code_of(packed(header(b"a", 0, b"S", magic=b"ustar  \0"))) == "unsupported_entry"
    assert code_of(packed(header(b"a", 7 * 1024**3))) == "too_large"


# Files on disk.


def test_reads_a_file_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.gz"
    path.write_bytes(write_archive(FILES))
    assert read_archive(read_archive_file(path)) == FILES


def test_never_reads_more_than_the_limit_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(10 * 1024**4)
    with pytest.raises(BundleError) as caught:
        read_archive_file(path, Limits(compressed=1000))
    assert refusal(caught.value) == "too_large"


def test_what_is_not_a_plain_file_is_unreadable(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none", tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(BundleError) as caught:
            read_archive_file(path)
        assert refusal(caught.value) == "file_unreadable"
