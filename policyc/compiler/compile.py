"""Source files in, data of an artifact and diagnostics out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from policyc.compiler.bundle_file import BundleFile
from policyc.compiler.cache import CompileCache
from policyc.compiler.examples import Example, try_examples
from policyc.compiler.link import link
from policyc.compiler.policy_file import Mention, PolicyFile
from policyc.compiler.reporting import Reporting
from policyc.compiler.scope import Library, Scope, preset_prefix, read_scope
from policyc.engine.plan import FORMAT
from policyc.source.diagnostics import Diagnostic
from policyc.source.suggest import did_you_mean
from policyc.source.tree import BUNDLE_FILE, POLICIES, SourceTree


@dataclass(frozen=True, slots=True)
class Compilation:
    """What a source tree came to.

    ``data`` is the payload of an artifact, or None when ``diagnostics`` has an error. Rules in it are shared
    with later compilations of the same cache: do not change it. ``diagnostics`` are sorted by path, line and
    column. ``sources`` is every file that went in, by the path that diagnostics and rules give; those of
    presets start with ``preset:``. ``examples`` are those of the tree's own rules, which are not in ``data``.
    """

    data: dict[str, Any] | None
    diagnostics: tuple[Diagnostic, ...]
    sources: dict[str, bytes]
    examples: tuple[Example, ...] = ()


def compile_tree(
    tree: SourceTree, *, presets: Mapping[str, SourceTree], cache: CompileCache | None = None
) -> Compilation:
    """Check and compile ``tree``. Never raises for what is in it.

    ``presets`` are what ``include`` and ``extends`` find behind the bundle's own policies. With a ``cache``,
    files that have not changed since the last compilation are not read again.
    """
    cache = cache or CompileCache()
    scope = read_scope(tree, cache)
    library = Library(scope, presets, cache)
    reporting = Reporting()
    policies = link(library, reporting)
    bundle = _Bundle(tree, scope, reporting)
    data = bundle.data(policies)
    used = [scope, *library.used.values()]
    found = {*tree.problems, *_of_files(used), *_hook_warnings(scope)}
    examples: tuple[Example, ...] = ()
    if not _has_errors({*found, *reporting.diagnostics}):
        # A rule that has something wrong with it would fail its examples for that.
        examples = try_examples(scope.files, policies, reporting)
    diagnostics = sorted({*found, *reporting.diagnostics})
    payload = None if _has_errors(diagnostics) else data
    return Compilation(payload, tuple(diagnostics), _sources(tree, library, presets), examples)


def _has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(found.severity == "error" for found in diagnostics)


def _of_files(scopes: list[Scope]) -> list[Diagnostic]:
    files = [file for scope in scopes for file in (*scope.files, scope.values, scope.bundle)]
    return [found for file in files if file is not None for found in file.diagnostics]


def _hook_warnings(scope: Scope) -> list[Diagnostic]:
    hooks = scope.bundle is not None and bool(scope.bundle.hooks)
    return [
        warning.diagnostic
        for file in scope.files
        for warning in file.hook_warnings
        if hooks or not warning.only_with_hooks
    ]


def _sources(tree: SourceTree, library: Library, presets: Mapping[str, SourceTree]) -> dict[str, bytes]:
    sources = {path: tree.files[path] for path in sorted(tree.files)}
    for name in sorted(library.used):
        files = presets[name].files
        sources.update((preset_prefix(name) + path, files[path]) for path in sorted(files))
    return sources


class _Bundle:
    """What concerns the bundle as a whole: its name, its policies' names, who is governed by which."""

    def __init__(self, tree: SourceTree, scope: Scope, reporting: Reporting) -> None:
        self._tree = tree
        self._scope = scope
        self._reporting = reporting

    def data(self, policies: dict[str, Any]) -> dict[str, Any]:
        self._check_there()
        self._check_names()
        bundle = self._scope.bundle
        if bundle is not None:
            self._check_mentions(bundle)
        return {
            "format": FORMAT,
            "bundle": bundle.name if bundle is not None else self._tree.name,
            "default_policy": self._scope.default,
            "bindings": [
                {"agents": list(binding.agents), "policy": binding.policy.name}
                for binding in (bundle.bindings if bundle is not None else ())
            ],
            "policies": policies,
            "server": bundle.server if bundle is not None else None,
            "hooks": bundle.hooks if bundle is not None else [],
            "network": bundle.network if bundle is not None else None,
            "mask": bundle.mask if bundle is not None else [],
            "meta_tools": bundle.meta_tools if bundle is not None else [],
        }

    def _check_there(self) -> None:
        problems = {found.path for found in self._tree.problems}
        if not self._scope.files and not problems - {BUNDLE_FILE}:
            hint = f"put policy files under {POLICIES}/"
            self._reporting.of_bundle("no_policy", POLICIES, "there is no policy in this bundle", hint)
        if (
            self._scope.bundle is None
            and not self._tree.single
            and not any(path.startswith("bundle.") for path in problems)
        ):
            message = f"there is no {BUNDLE_FILE}: the bundle is named `{self._tree.name}` after its folder"
            hint = f"add one with the line `bundle: {self._tree.name}`"
            self._reporting.of_bundle("missing_bundle_file", BUNDLE_FILE, message, hint)

    def _check_names(self) -> None:
        for file in self._scope.files:
            first = self._scope.policies.get(file.name) if file.name is not None else None
            if first is not None and first is not file:
                self._report_duplicate(file, first)

    def _report_duplicate(self, file: PolicyFile, first: PolicyFile) -> None:
        where = f"{first.path}:{first.name_place[0]}:{first.name_place[1]}"
        message = f"the policy `{file.name}` is already at {where}"
        self._reporting.add(
            "duplicate_policy", file.path, file.name_place, file.name_at, message, "rename one with `policy:`"
        )

    def _check_mentions(self, bundle: BundleFile) -> None:
        if bundle.default_policy is not None:
            self._check_mention("default_policy", bundle.default_policy, bundle)
        elif bundle.complete and len(self._scope.policies) > 1:
            self._report_no_default(bundle.path)
        for binding in bundle.bindings:
            self._check_mention("policy", binding.policy, bundle)

    def _report_no_default(self, path: str) -> None:
        names = list(self._scope.policies)
        message = f"there are {len(names)} policies and no `default_policy`"
        self._reporting.of_bundle("missing_default_policy", path, message, did_you_mean("", names))

    def _check_mention(self, key: str, mention: Mention, bundle: BundleFile) -> None:
        names = list(self._scope.policies)
        if mention.name not in names and self._scope.complete:
            message = f"`{key}` names `{mention.name}`, which is no policy of this bundle"
            hint = did_you_mean(mention.name, names)
            self._reporting.add("unknown_policy", bundle.path, mention.place, mention.at, message, hint)
