"""What the server says on standard error."""

from __future__ import annotations

import logging


def log_to_stderr() -> None:
    """Lets this package speak, and of the libraries what an operator has to know."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    ours = logging.getLogger("policyc_server")
    ours.setLevel(logging.INFO)
    ours.handlers = [handler]
    ours.propagate = False
    server = logging.getLogger("uvicorn.error")
    server.setLevel(logging.WARNING)
    server.handlers = [handler]
    server.propagate = False
    # It reports the end of each watch as an error.
    logging.getLogger("watchdog").setLevel(logging.CRITICAL)
