"""The container: files to a tar.gz with the same bytes each time, and a hostile tar.gz to files in memory."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from policyc.bundle import tar_header
from policyc.bundle.errors import BundleError, quote
from policyc.bundle.gzip_stream import GzipStream, compress
from policyc.bundle.layout import check_path
from policyc.bundle.tar_header import BLOCK

MIB: Final = 1024 * 1024
_MODE: Final = 0o644
_LONGEST_EXTENSION: Final = 64 * 1024  # a pax header or long name; paths are bounded on their own
_END: Final = bytes(BLOCK)


@dataclass(frozen=True)
class Limits:
    """What a reader takes at most, in bytes but for `entries`. All are checked before memory is used."""

    compressed: int = 64 * MIB
    file: int = 64 * MIB
    total: int = 256 * MIB  # everything inflated: files, headers and padding
    entries: int = 10_000  # files and folders
    path: int = 512


DEFAULT_LIMITS: Final = Limits()


def write_archive(files: Mapping[str, bytes], limits: Limits = DEFAULT_LIMITS) -> bytes:
    """A tar.gz of `files`, sorted, owner 0, time 0. BundleError for what `read_archive` would refuse."""
    if len(files) > limits.entries:
        raise BundleError(
            "too_many_entries", f"{len(files):,} files are more than the limit of {limits.entries:,}"
        )
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo(check_path(path, limits.path))
            entry.size = _bounded(path, len(files[path]), limits)
            entry.mode = _MODE
            archive.addfile(entry, io.BytesIO(files[path]))
    if buffer.tell() > limits.total:
        raise BundleError("too_large", f"the archive holds more than {limits.total:,} bytes when inflated")
    content = compress(buffer.getvalue())
    _check_compressed(len(content), limits)
    return content


def read_archive(data: bytes, limits: Limits = DEFAULT_LIMITS) -> dict[str, bytes]:
    """The files of a tar.gz by path, in its order; nothing touches the disk.

    Folders are skipped. One leading `/` is taken off, since `opa build` writes it. Everything else that is
    not a plain file under a plain relative path is refused with BundleError, and so is all beyond `limits`.
    """
    _check_compressed(len(data), limits)
    stream = GzipStream(data, limits.total)
    files: dict[str, bytes] = {}
    folders = 0
    extended, given = False, None  # an extension header came before the next entry, and the path it gave
    while (block := stream.read(BLOCK)) != _END:
        if len(block) < BLOCK:
            raise BundleError("archive_truncated", "the tar ends before its end mark")
        header = tar_header.parse_header(block)
        if header.kind in (tar_header.PAX, tar_header.LONG_NAME):
            if extended:
                raise BundleError("unsupported_entry", "two extension headers stand before one entry")
            extended, given = True, _extension(stream, header)
            continue
        name, extended, given = given or header.name, False, None
        if header.kind == tar_header.FOLDER:
            folders += 1
            _check_folder(name, header.size, limits)
        else:
            path = check_path(name.removeprefix("/"), limits.path)
            if path in files:
                raise BundleError("duplicate_entry", f"the file {quote(path)} is in the archive twice")
            files[path] = _body(stream, _bounded(path, header.size, limits))
        if len(files) + folders > limits.entries:
            raise BundleError("too_many_entries", f"the archive has more than {limits.entries:,} entries")
    if extended:
        raise BundleError("archive_damaged", "an extension header has no entry after it")
    _check_end(stream)
    if not files:
        raise BundleError("archive_empty", "the archive holds no file")
    return files


def read_archive_file(path: Path, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The bytes of an artifact on disk; never reads more than `limits.compressed`, never blocks on a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BundleError("file_unreadable", f"{quote(path)} is not a plain file")
            data = file.read(limits.compressed + 1)
    except OSError as error:
        raise BundleError("file_unreadable", f"cannot read {quote(path)}: {error.strerror}") from None
    _check_compressed(len(data), limits)
    return data


def _extension(stream: GzipStream, header: tar_header.Header) -> str | None:
    if header.size > _LONGEST_EXTENSION:
        raise BundleError(
            "too_large", f"a {header.kind} of {header.size:,} bytes is over {_LONGEST_EXTENSION:,}"
        )
    content = _body(stream, header.size)
    return (
        tar_header.parse_pax(content)
        if header.kind == tar_header.PAX
        else tar_header.parse_long_name(content)
    )


def _body(stream: GzipStream, size: int) -> bytes:
    padding = -size % BLOCK
    content = stream.read(size)
    if len(content) < size or len(stream.read(padding)) < padding:
        raise BundleError("archive_truncated", "the tar ends in the middle of a file")
    return content


def _bounded(path: str, size: int, limits: Limits) -> int:
    if size > limits.file:
        raise BundleError(
            "too_large", f"the file {quote(path)} has {size:,} bytes, the limit is {limits.file:,}"
        )
    return size


def _check_folder(name: str, size: int, limits: Limits) -> None:
    check_path(name.removeprefix("/").removesuffix("/"), limits.path)
    if size:
        raise BundleError("unsupported_entry", f"the folder {quote(name)} claims to have content")


def _check_end(stream: GzipStream) -> None:
    """After the first empty block: one more, then only padding to the end of the gzip member and file."""
    if stream.read(BLOCK) != _END:
        raise BundleError("archive_truncated", "the tar's end mark is incomplete")
    while rest := stream.read(64 * 1024):
        if rest.strip(b"\0"):
            raise BundleError("trailing_data", "there is content after the end mark of the tar")
    stream.finish()


def _check_compressed(size: int, limits: Limits) -> None:
    if size > limits.compressed:
        raise BundleError("too_large", f"the artifact has more than {limits.compressed:,} bytes")
