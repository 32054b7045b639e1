"""The evaluator: policies served over HTTP, reloaded while they are served."""

from policyc_server.app import create_app

__all__ = ["create_app"]
