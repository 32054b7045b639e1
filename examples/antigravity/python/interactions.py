"""The Interactions API with the standard library: GEMINI_API_KEY, and GEMINI_BASE_URL for another server."""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

AGENT = "antigravity-preview-05-2026"
BASE = os.environ.get("GEMINI_BASE_URL", "https://generativelanguage.googleapis.com")


def environment() -> dict[str, Any]:
    """What `policyc hooks sources` wrote to standard input."""
    return json.load(sys.stdin)


def create(**request: Any) -> dict[str, Any]:
    """The interaction, when it is done."""
    with _post(request) as response:
        return json.load(response)


def stream(**request: Any) -> Iterator[dict[str, Any]]:
    """The events of the interaction as they happen."""
    with _post({**request, "stream": True}) as response:
        for line in response:
            data = line.decode().strip().partition("data: ")[2]
            if data and data != "[DONE]":
                yield json.loads(data)


def output_text(interaction: dict[str, Any]) -> str:
    """What the model said."""
    said = [step for step in interaction["steps"] if step["type"] == "model_output"]
    return "".join(part.get("text", "") for step in said for part in step["content"])


def _post(request: dict[str, Any]) -> Any:
    body = json.dumps({"agent": AGENT, **request}).encode()
    headers = {
        "Content-Type": "application/json",
        "x-goog-api-key": os.environ["GEMINI_API_KEY"],
        "Api-Revision": "2026-05-20",  # the revision that answers in steps
    }
    try:
        return urllib.request.urlopen(urllib.request.Request(f"{BASE}/v1beta/interactions", body, headers))
    except urllib.error.HTTPError as error:
        sys.exit(f"HTTP {error.code}: {error.read().decode()}")
