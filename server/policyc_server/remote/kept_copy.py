"""The last artifact that was downloaded and served, in `--state`: what a start without the source serves."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from policyc.bundle.archive import read_archive_file
from policyc.files import replace_files
from policyc_server.loader import Refused
from policyc_server.remote.url import BundleUrl

_CONTENT = "bundle.tar.gz"
_NOTE = "bundle.json"


class _Note(msgspec.Struct):
    url: str
    sha256: str
    etag: str | None


class KeptCopy:
    """The exact bytes, and beside them where they came from. None of it is trusted: what is read is verified
    as if it had just been downloaded, and an ETag counts only for the bytes that it came with."""

    def __init__(self, folder: Path, url: BundleUrl) -> None:
        self._content = folder / _CONTENT
        self._note = folder / _NOTE
        # Hashed, since a query may be a secret.
        self._url = hashlib.sha256(url.text.encode()).hexdigest()

    def save(self, content: bytes, etag: str | None) -> None:
        """Durably, one or both or, after a crash, neither. Raises OSError."""
        note = _Note(self._url, hashlib.sha256(content).hexdigest(), etag)
        files = {self._content: content, self._note: msgspec.json.encode(note)}
        replace_files(files, mode=0o600)

    def load(self) -> tuple[bytes, str | None] | None:
        """The bytes and their ETag; None where there are none of this URL. Raises BundleError, Refused."""
        note = self._read_note()
        if note is None or note.url != self._url or not self._content.exists():
            return None
        content = read_archive_file(self._content)
        is_same = hashlib.sha256(content).hexdigest() == note.sha256
        return content, note.etag if is_same else None

    def _read_note(self) -> _Note | None:
        try:
            return msgspec.json.decode(self._note.read_bytes(), type=_Note)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            raise Refused("copy_damaged", f"cannot read {self._note}: {error}") from None
