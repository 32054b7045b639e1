"""The databases of the store's tests."""

from server.store.conftest import postgres, postgres_url, store, url

__all__ = ["postgres", "postgres_url", "store", "url"]
