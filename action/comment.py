"""Writes the comparison to the pull request: one comment, written anew each time.

Standard library only. Where the token may not write, as for a pull request from a fork, nothing fails: the
comparison is in the job's summary too. https://docs.github.com/rest/issues/comments
"""

from __future__ import annotations

import hashlib
import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

#: Characters that a comment may have are 65,536.
_LONGEST = 65_000
_WITHIN = 30.0
_PAGES = 30
_BOT = "github-actions[bot]"
_SUMMARY = "The comparison is in the job's summary."


class Api:
    def __init__(self, environment: dict[str, str]) -> None:
        self._base = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}"
        self._root = environment["GITHUB_API_URL"]
        self._headers = {
            "accept": "application/vnd.github+json",
            "authorization": f"Bearer {environment.get('GITHUB_TOKEN', '')}",
            "content-type": "application/json",
            "x-github-api-version": "2022-11-28",
        }

    def comments(self, number: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for page in range(1, _PAGES + 1):
            part = self._ask("GET", f"{self._base}/issues/{number}/comments?per_page=100&page={page}")
            found += part
            if len(part) < 100:
                break
        return found

    def login(self) -> str:
        """Whose comments are ours. The token of a workflow has no user to ask for."""
        try:
            return str(self._ask("GET", f"{self._root}/user")["login"])
        except urllib.error.HTTPError:
            return _BOT

    def add(self, number: int, body: str) -> None:
        self._ask("POST", f"{self._base}/issues/{number}/comments", {"body": body})

    def replace(self, comment: int, body: str) -> None:
        self._ask("PATCH", f"{self._base}/issues/comments/{comment}", {"body": body})

    def _ask(self, method: str, url: str, document: object = None) -> Any:
        data = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(url, data, self._headers, method=method)
        with urllib.request.urlopen(request, timeout=_WITHIN) as answer:
            return json.load(answer)


def main(environment: dict[str, str]) -> None:
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    number = event.get("pull_request", {}).get("number")
    if not isinstance(number, int):
        print(f"::notice title=policyc::This is no pull request. {_SUMMARY}")
        return
    mark = _mark(environment["BUNDLES"])
    body = _body(mark, Path(environment["COMMENT"]).read_text("utf-8"))
    try:
        _write(Api(environment), number, mark, body)
    except urllib.error.HTTPError as error:
        why = (
            "the token may not write it" if error.code in (401, 403, 404) else f"GitHub answered {error.code}"
        )
        print(f"::notice title=policyc::There is no comment: {why}. {_SUMMARY}")
    except OSError as error:
        print(f"::warning title=policyc::There is no comment: {type(error).__name__}. {_SUMMARY}")


def _write(api: Api, number: int, mark: str, body: str) -> None:
    mine = api.login()
    for comment in api.comments(number):
        # Anybody can write the mark: a comment of somebody else's would not stay as we write it.
        if comment["body"].startswith(mark) and comment["user"]["login"] == mine:
            api.replace(comment["id"], body)
            return
    api.add(number, body)


def _mark(bundles: str) -> str:
    """Tells the comment of these bundles from that of another run of the action on other ones."""
    return f"<!-- policyc diff {hashlib.sha256(bundles.strip().encode()).hexdigest()[:16]} -->"


def _body(mark: str, comparison: str) -> str:
    body = f"{mark}\n{comparison}"
    if len(body) <= _LONGEST:
        return body
    # Several bundles: what does not fit is cut between two parts, which are HTML that must be closed.
    kept = body[: body.rfind("\n</details>\n", 0, _LONGEST) + len("\n</details>\n")]
    return f"{kept}\nMore does not fit here. {_SUMMARY}\n"


if __name__ == "__main__":
    main(dict(os.environ))
