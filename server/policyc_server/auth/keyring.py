"""The keys that let requests in, from the keys file and the store, kept fresh on a thread."""

from __future__ import annotations

import hmac
import logging
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.auth.identity import ADMIN, REVIEWER, TOKEN, Identity
from policyc_server.auth.keys_file import KeysFileError, read_keys
from policyc_server.periodic import Periodic
from policyc_server.store.keys import Key, KeyStore, hashed

_log = logging.getLogger(__name__)

#: Seconds until a key that was made or revoked is known.
_REFRESH = 0.5


class Keyring:
    """Secrets to identities. ``token`` is one more key, of role admin; ``others_review`` says that there are
    reviewers who come without a key, by way of a trusted proxy.

    A source that cannot be read any more keeps what it said last: a server whose database is away goes on
    deciding. Raises KeysFileError where the file is unusable at the start.
    """

    def __init__(
        self,
        *,
        token: str | None = None,
        file: Path | None = None,
        store: KeyStore | None = None,
        others_review: bool = False,
    ) -> None:
        self._others_review = others_review
        self._token = token
        self._file = file
        self._store = store
        self._of_file: dict[str, Key] = {} if file is None else read_keys(file)
        self._of_store: dict[str, Key] = {} if store is None else store.by_hash()
        self._fresh = Periodic("keyring", _REFRESH, self._refresh)

    @property
    def is_empty(self) -> bool:
        """Whether no key was ever made, so that whoever is on this machine is let in."""
        return self._token is None and self._file is None and not self._of_store

    @property
    def has_reviewers(self) -> bool:
        """Whether somebody can decide a hold: also by way of a proxy it takes keys, since an approval is for
        the key that asked."""
        keys = (*self._of_file.values(), *self._of_store.values())
        by_proxy = self._others_review and not self.is_empty
        return by_proxy or any(key.role == REVIEWER and key.revoked_at is None for key in keys)

    def identity(self, secret: str) -> Identity | None:
        """Whose secret it is, or None. Looked up by a hash of it, about which timing tells nothing."""
        return self.of_hash(hashed(secret))

    def of_hash(self, digest: str) -> Identity | None:
        """Whose secret has that hash, while the key stands."""
        key = self._of_file.get(digest) or self._of_store.get(digest)
        if key is not None and key.revoked_at is None:
            return _identity(key)
        is_token = self._token is not None and hmac.compare_digest(digest, hashed(self._token))
        return Identity(TOKEN, ADMIN) if is_token else None

    def of_key(self, name: str) -> Identity | None:
        """The key of that id, while it stands."""
        for key in (*self._of_file.values(), *self._of_store.values()):
            if key.id == name and key.revoked_at is None:
                return _identity(key)
        return None

    def close(self) -> None:
        self._fresh.close()

    def _refresh(self) -> None:
        try:
            if self._store is not None:
                self._of_store = self._store.by_hash()
        except SQLAlchemyError as error:
            _log.warning("keys cannot be read from the store: %s", getattr(error, "orig", error))
        try:
            if self._file is not None:
                self._of_file = read_keys(self._file)
        except KeysFileError as error:
            _log.warning("%s", error)


def _identity(key: Key) -> Identity:
    return Identity(key.id, key.role, key.agent, key.policy)
