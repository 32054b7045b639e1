"""The ``environment`` of an interaction: the sources that hold the hooks, and where the sandbox may connect.

Relative targets start at the root of the sandbox, where the managed agent finds ``.agents/hooks.json``.
https://ai.google.dev/gemini-api/docs/agent-environment
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from policyc.compiler.network import is_blocked_host, url_host
from policyc.compiler.secrets import variables
from policyc.hooks.errors import HooksError
from policyc.hooks.gate_files import MOST_BYTES, MOST_BYTES_TOGETHER
from policyc.hooks.runtime.network import read_network

Mounted = Literal["repository", "gcs"]
#: Where a repository or bucket may be in the sandbox. Anywhere else the hooks would not be found, or not the
#: gate that they start, and every call would run.
MOUNTS: Final = ("/", "/.agents")
#: Files named in an error about sizes.
_NAMED: Final = 5


def environment(
    sources: list[dict[str, str]], data: Mapping[str, Any], env: Mapping[str, str] | None
) -> dict[str, Any]:
    """What an interaction takes as ``environment``: ``sources``, and the ``network`` of ``data``, the payload
    of a compiled bundle. A bundle without one lets the sandbox connect anywhere.

    ``${NAME}`` in a transform is filled in from ``env``, and then the document has secrets in it; where
    ``env`` is None it stays. Raises HooksError.
    """
    network = data.get("network")
    if network is None:
        return {"type": "remote", "sources": sources}
    return {
        "type": "remote",
        "sources": sources,
        "network": network if env is None else _filled(network, env),
    }


def inline_sources(files: Mapping[str, str]) -> list[dict[str, str]]:
    """A source for each of ``files``, text by path. Raises HooksError where they are larger than the API
    takes: 1 MB each, 2 MB together."""
    _check_sizes({path: len(text.encode()) for path, text in files.items()})
    return [{"type": "inline", "target": path, "content": text} for path, text in files.items()]


def mounted_source(kind: Mounted, url: str | None, mount: str) -> dict[str, str]:
    """The one source that has the hooks in it already: a git repository or a bucket of Cloud Storage, at
    ``mount`` (one of MOUNTS). Raises HooksError."""
    if url is None:
        raise HooksError("source_url_missing", f"a source of the kind {kind} needs a URL")
    problem = _URL_PROBLEMS[kind](url)
    if problem is not None:
        raise HooksError("source_url_invalid", problem)
    return {"type": kind, "source": url, "target": mount}


def own_files(folder: Path) -> dict[str, str]:
    """The files below ``folder`` by their path in it, in order. Raises HooksError, also for none at all."""
    try:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8") for path in paths}
    except OSError as error:
        raise HooksError("source_unreadable", f"cannot read {error.filename}: {error.strerror}") from None
    except UnicodeDecodeError:
        said = f"{folder} has a file that is not UTF-8, and inline sources are text"
        raise HooksError("source_unreadable", said) from None
    if not files:
        raise HooksError("source_unreadable", f"there are no files in {folder}")
    return files


def together(generated: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Both. Raises HooksError where a file of one's own would take the place of a generated one."""
    clashes = sorted(generated.keys() & own.keys())
    if clashes:
        raise HooksError("source_clash", f"also generated: {', '.join(clashes)}")
    return {**generated, **own}


def _filled(network: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    """Raises HooksError naming every variable without a value; an empty one would send no credential."""
    missing = [name for name in _named(network) if not env.get(name)]
    if missing:
        raise HooksError("variable_missing", f"not in the environment, or empty: {', '.join(missing)}")
    return {
        "allowlist": [
            {"domain": domain, **({"transform": dict(transform)} if transform else {})}
            for domain, transform in read_network(network, env).transforms
        ]
    }


def _named(network: Mapping[str, Any]) -> list[str]:
    """Every variable in a transform, once, in the order of the file."""
    transforms = [entry.get("transform", {}) for entry in network["allowlist"]]
    values = [value for transform in transforms for value in transform.values()]
    return list(dict.fromkeys(name for value in values for name in variables(value)))


def _check_sizes(sizes: Mapping[str, int]) -> None:
    large = {path: size for path, size in sizes.items() if size > MOST_BYTES}
    if large:
        raise HooksError(
            "sources_too_large", f"an inline source has at most {MOST_BYTES:,} bytes: {_said(large)}"
        )
    total = sum(sizes.values())
    if total > MOST_BYTES_TOGETHER:
        said = f"inline sources have at most {MOST_BYTES_TOGETHER:,} bytes together, and these {total:,}"
        raise HooksError("sources_too_large", f"{said}: {_said(sizes)}")


def _said(sizes: Mapping[str, int]) -> str:
    """The largest with their sizes."""
    largest = sorted(sizes, key=lambda path: -sizes[path])
    more = ["..."] if len(largest) > _NAMED else []
    return ", ".join([*(f"{path} {sizes[path]:,}" for path in largest[:_NAMED]), *more])


# What is wrong with a URL, without repeating one that may have a password in it.


def _repository_problem(url: str) -> str | None:
    host = url_host(url)
    if host is None or not url.startswith("https://"):
        return "a repository is named by its https URL"
    parts = urlsplit(url)
    if "@" in parts.netloc:
        return "the URL has a user name or password in it; a transform of network.allowlist can carry them"
    if is_blocked_host(host):
        return f"{host} is a local or private host, which the API cannot reach"
    if not parts.path.strip("/") or parts.query or parts.fragment:
        return f"{url} names no repository"
    return None


def _bucket_problem(url: str) -> str | None:
    bucket = url.removeprefix("gs://").partition("/")[0]
    plain = url.isascii() and url.isprintable() and not set(url) & set(" ?#*@")
    if not url.startswith("gs://") or not bucket or not plain:
        return "a bucket is named by gs://BUCKET or gs://BUCKET/FOLDER"
    return None


_URL_PROBLEMS: Final = {"repository": _repository_problem, "gcs": _bucket_problem}
