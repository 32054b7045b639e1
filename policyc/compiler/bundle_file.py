"""``bundle.yaml``: read, checked and lowered as far as that needs no other file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from policyc.compiler.hooks import lower_hooks
from policyc.compiler.jsonpath import JSONPathError, compile_path
from policyc.compiler.network import check_server, lower_network
from policyc.compiler.policy_file import Mention
from policyc.source.diagnostics import Diagnostic, JsonPath, touches
from policyc.source.findings import Findings
from policyc.source.nodes import Document
from policyc.source.read import read_document
from policyc.source.schema import shape


@dataclass(frozen=True, slots=True)
class Binding:
    """Agents by glob, and the policy that governs them."""

    agents: tuple[str, ...]
    policy: Mention


@dataclass(frozen=True, slots=True)
class BundleFile:
    """What ``bundle.yaml`` says; ``complete`` is False when it could not be read or has a wrong shape."""

    path: str
    name: str | None
    default_policy: Mention | None
    bindings: tuple[Binding, ...]
    server: dict[str, Any] | None
    hooks: list[dict[str, Any]]
    network: dict[str, Any] | None
    mask: list[list[Any]]
    meta_tools: list[dict[str, Any]]
    complete: bool
    diagnostics: tuple[Diagnostic, ...]


def read_bundle_file(path: str, data: bytes) -> BundleFile:
    """The settings in ``data``. Never raises; what is wrong is in its diagnostics."""
    document, findings = read_document(path, data)
    if document is None:
        return _nothing(path, findings)
    wrong = shape("bundle").report(document.root, document, (), findings)
    if not isinstance(document.root, dict):
        return _nothing(path, findings)
    return _lowered(document.root, wrong, document, findings)


def _lowered(
    given: dict[str, Any], wrong: tuple[JsonPath, ...], document: Document, findings: Findings
) -> BundleFile:
    """What can be used of the settings: one run shows also what is behind a wrong shape elsewhere."""
    root = {key: value for key, value in given.items() if key in _LISTED or not touches(wrong, (key,))}
    check_server(root, document, findings)
    network = lower_network(root, document, findings)
    hooks = lower_hooks(root, wrong, document, findings)
    default = root.get("default_policy")
    return BundleFile(
        path=findings.path,
        name=root.get("bundle"),
        default_policy=default
        and Mention(default, document.place_of(("default_policy",)), ("default_policy",)),
        bindings=_bindings(root.get("bindings"), wrong, document),
        server=dict(root["server"]) if "server" in root else None,
        hooks=hooks,
        network=network,
        mask=_mask(root.get("mask", ()), document, findings),
        meta_tools=_meta_tools(root.get("meta_tools", ()), document, findings),
        complete=not wrong and not findings.holes,
        diagnostics=findings.diagnostics,
    )


#: Settings that are looked at one by one, also when some of them have a wrong shape.
_LISTED = ("bindings", "hooks")


def _bindings(bindings: Any, wrong: tuple[JsonPath, ...], document: Document) -> tuple[Binding, ...]:
    return tuple(
        Binding(tuple(entry["agents"]), _bound(entry["policy"], number, document))
        for number, entry in enumerate(bindings if isinstance(bindings, list) else ())
        if not touches(wrong, ("bindings", number))
    )


def _mask(paths: Any, document: Document, findings: Findings) -> list[list[Any]]:
    """The steps of each path. Reports what is none."""
    found = [_steps(path, ("mask", number), document, findings) for number, path in enumerate(paths)]
    return [steps for steps in found if steps is not None]


def _meta_tools(entries: Any, document: Document, findings: Findings) -> list[dict[str, Any]]:
    """The tools that call others, as the plan has them. Reports paths that are none."""
    return [
        {
            "tools": [entry["tool"]] if isinstance(entry["tool"], str) else list(entry["tool"]),
            **{
                key: _steps(entry[key], ("meta_tools", number, key), document, findings)
                for key in ("each", "name", "arguments")
                if key in entry
            },
            "prefix": entry.get("prefix", ""),
        }
        for number, entry in enumerate(entries)
    ]


def _steps(path: str, at: JsonPath, document: Document, findings: Findings) -> list[Any] | None:
    """The steps of ``path``; None, and a report, where it is none."""
    try:
        return compile_path(path)
    except JSONPathError as error:
        findings.add("bad_jsonpath", document.place_of(at), at, str(error), error.hint)
        return None


def _bound(policy: str, number: int, document: Document) -> Mention:
    at = ("bindings", number, "policy")
    return Mention(policy, document.place_of(at), at)


def _nothing(path: str, findings: Findings) -> BundleFile:
    return BundleFile(path, None, None, (), None, [], None, [], [], False, findings.diagnostics)
