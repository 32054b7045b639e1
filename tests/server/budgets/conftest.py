"""The databases of the store's tests."""

from server.store.conftest import postgres, store, url

__all__ = ["postgres", "store", "url"]
