"""A pytest plugin: the suite as on a machine where google-re2 is not installed."""

import sys

sys.modules["re2"] = None  # type: ignore[assignment]
