"""Templates to pages. Whatever a template prints is escaped, and shown where a browser would act on it."""

from __future__ import annotations

import hashlib
import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from policyc.engine.decision import visible
from policyc_server.console.tree import tree

_HERE = Path(__file__).parent
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Nothing but this server's own files, no frames, and no script that writes markup.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Not no-referrer: browsers then send forms with the origin "null".
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def static_files() -> dict[str, tuple[bytes, str]]:
    """Content and media type of each file that pages load."""
    return {
        path.name: (path.read_bytes(), _TYPES[path.suffix])
        for path in (_HERE / "static").iterdir()
        if path.suffix in _TYPES
    }


class Renderer:
    """The templates of the console."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        versions = {name: hashlib.sha256(file[0]).hexdigest()[:12] for name, file in static_files().items()}
        self._environment.globals["static"] = lambda name: f"/console/static/{name}?v={versions[name]}"
        self._environment.filters |= {
            "ago": ago,
            "clock": clock,
            "duration": duration,
            "exact": exact,
            "iso": iso,
            "query": query,
            "tree": tree,
            "json": pretty,
        }

    def page(self, template: str, status: int = 200, /, **context: Any) -> Response:
        """The template as a page."""
        return HTMLResponse(self._environment.get_template(template).render(context), status)


def _shown(value: object) -> object:
    """What is printed for ``value``: no control or direction character acts, none is lost."""
    if value is None:
        return ""
    return visible(value) if type(value) is str else value


def exact(text: str) -> Markup:
    """``text`` character for character, where it is what a form sends back."""
    return escape(text)


def iso(microseconds: int) -> str:
    return (_EPOCH + timedelta(microseconds=microseconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def clock(microseconds: int) -> str:
    """The time, UTC; with its day where that is not today."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    form = "%H:%M:%S" if moment.date() == datetime.now(UTC).date() else "%Y-%m-%d %H:%M:%S"
    return f"{moment:{form}}.{moment.microsecond // 1000:03}"


def ago(microseconds: int) -> str:
    """How far from now: ``3 min ago``, ``in 2 h``."""
    seconds = time.time() - microseconds / 1e6
    return f"{duration(seconds)} ago" if seconds >= 0 else f"in {duration(-seconds)}"


def duration(seconds: float) -> str:
    """The largest unit that fits, whole."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


def query(parameters: list[tuple[str, str]]) -> str:
    """The query of a link."""
    return urlencode(parameters)


def pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
