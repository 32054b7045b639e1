"""Why a handler had no say: each cause has one code, and every one of them lets the call run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

#: code -> what happened. Codes are stable: the trace names them.
CAUSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "matcher_invalid": "the matcher is not RE2, so it matches no tool",
        "timeout": "not done within its timeout",
        # Commands.
        "not_started": "the command could not be started",
        "exit_nonzero": "the command did not exit with 0",
        "output_held_open": "the command ended, but something that it started kept its output open",
        # HTTP.
        "url_refused": "the URL is not https, or has a user name or password in it",
        "header_invalid": "a header's name or value cannot be sent",
        "target_refused": "the host is a loopback or private address, or a local name",
        "host_not_allowed": "network.allowlist does not cover the host",
        "name_unresolved": "the host name has no address",
        "connection_failed": "no connection",
        "tls_failed": "the server's certificate or its TLS was not accepted",
        "exchange_failed": "the connection broke, or what came back was not HTTP",
        "status_not_2xx": "the status is not 2xx; redirects are not followed",
        # Answers, before a call.
        "answer_too_large": "the answer is larger than 1 MiB",
        "answer_empty": "no answer",
        "answer_not_json": "the answer is not one JSON document in UTF-8",
        "answer_unrecognised": "the answer is JSON, but says neither allow nor deny",
    }
)


class NoSay(Exception):
    """A handler that came to nothing: ``cause`` is a key of CAUSES, ``detail`` what is known beyond it."""

    def __init__(self, cause: str, detail: str = "") -> None:
        super().__init__(cause, detail)
        self.cause = cause
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Attempt:
    """What running a handler came to: its ``answer`` (None beyond the limit), or the ``cause`` why not."""

    answer: bytes | None = b""
    cause: str | None = None
    detail: str = ""
    exit_code: int | None = None
    status: int | None = None
    stderr: str = ""
