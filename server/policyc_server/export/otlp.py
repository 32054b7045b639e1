"""OTLP logs over HTTP in JSON, which every OpenTelemetry collector takes at `/v1/logs`.

https://opentelemetry.io/docs/specs/otlp/#otlphttp, version 1. The SDK's exporter is not used: its interface
for logs is still private, and it gives up on its own what a cursor must keep.
"""

from __future__ import annotations

import logging
import os
import socket
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import httpx
import msgspec

from policyc import __version__
from policyc_server.export.severity import severity_of
from policyc_server.export.target import ExportFailed

_log = logging.getLogger(__name__)

_WITHIN = 20.0
_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
#: Fields that have a place of their own in a log record.
_PLACED = frozenset({"at", "reason"})


class OtlpTarget:
    """Posts to a URL, with the headers of OTEL_EXPORTER_OTLP_HEADERS."""

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self._url = url
        headers = {"content-type": "application/json", "user-agent": f"policyc/{__version__}"}
        self._client = httpx.Client(timeout=_WITHIN, headers=headers | _own_headers())

    def send(self, events: list[dict[str, Any]]) -> None:
        try:
            answer = self._client.post(self._url, content=msgspec.json.encode(_request(events)))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ExportFailed(str(error) or type(error).__name__) from None
        if not answer.is_success:
            raise ExportFailed(f"the collector answered {answer.status_code}")
        if rejected := _rejected(answer):
            # Not to be sent again, says the protocol: it would be rejected again.
            _log.warning("%s: %s", self.name, rejected)

    def close(self) -> None:
        self._client.close()


def _own_headers() -> dict[str, str]:
    pairs = (pair.partition("=") for pair in os.environ.get(_HEADERS, "").split(",") if "=" in pair)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}


def _rejected(answer: httpx.Response) -> str | None:
    """What a collector says that it took only in part."""
    try:
        partial = msgspec.json.decode(answer.content or b"{}").get("partialSuccess") or {}
        count = int(partial.get("rejectedLogRecords", 0))
    except (msgspec.MsgspecError, AttributeError, TypeError, ValueError):
        return None
    return f"the collector rejected {count}: {partial.get('errorMessage', '')}" if count else None


def _request(events: list[dict[str, Any]]) -> dict[str, Any]:
    resource = {"service.name": "policyc", "service.version": __version__, "host.name": socket.gethostname()}
    scope = {"name": "policyc", "version": __version__}
    logs = [{"scope": scope, "logRecords": [_record(event) for event in events]}]
    return {"resourceLogs": [{"resource": {"attributes": _attributes(resource)}, "scopeLogs": logs}]}


def _record(event: dict[str, Any]) -> dict[str, Any]:
    severity = severity_of(event)
    nanoseconds = str((datetime.fromisoformat(event["at"]) - _EPOCH) // _MICROSECOND * 1000)
    kept = {f"policyc.{name}": value for name, value in event.items() if name not in _PLACED}
    return {
        "timeUnixNano": nanoseconds,
        "observedTimeUnixNano": nanoseconds,
        "severityNumber": severity.otlp,
        "severityText": severity.name,
        "eventName": "policyc.decision",
        "body": {"stringValue": event["reason"]},
        "attributes": _attributes(kept),
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, int):
        # 64-bit integers are strings in the JSON of protobuf.
        return {"intValue": str(value)}
    return {"stringValue": msgspec.json.encode(value).decode()}
