"""The policies a name can mean: those of one bundle, then the presets that ship."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyc.compiler.bundle_file import BundleFile, read_bundle_file
from policyc.compiler.cache import CompileCache
from policyc.compiler.policy_file import Mention, PolicyFile, read_policy_file
from policyc.compiler.values_file import ValuesFile, read_values_file
from policyc.source.suggest import closest
from policyc.source.tree import BUNDLE_FILE, POLICIES, VALUES_FILE, SourceTree


@dataclass(frozen=True, slots=True)
class Scope:
    """The files of one bundle, read. ``policies`` has the first of each name, in order of their paths."""

    files: tuple[PolicyFile, ...]
    policies: Mapping[str, PolicyFile]
    values: ValuesFile | None
    bundle: BundleFile | None

    @property
    def complete(self) -> bool:
        """Whether every policy file gave a name: if not, a name that is not here may be in a broken file."""
        return all(file.name is not None for file in self.files)

    @property
    def default(self) -> str | None:
        """The policy that ``default_policy`` names, or the only one."""
        if self.bundle is not None and self.bundle.default_policy is not None:
            return self.bundle.default_policy.name
        return next(iter(self.policies)) if len(self.policies) == 1 else None


def read_scope(tree: SourceTree, cache: CompileCache, prefix: str = "") -> Scope:
    """The files of ``tree``; ``prefix`` goes before their paths in diagnostics and rule sources."""
    files = []
    values, bundle = None, None
    for path in sorted(tree.files):
        data, shown = tree.files[path], prefix + path
        if tree.single or path.startswith(f"{POLICIES}/"):
            files.append(cache.get(shown, data, read_policy_file))
        elif path == VALUES_FILE:
            values = cache.get(shown, data, read_values_file)
        elif path == BUNDLE_FILE:
            bundle = cache.get(shown, data, read_bundle_file)
    policies: dict[str, PolicyFile] = {}
    for file in files:
        if file.name is not None:
            policies.setdefault(file.name, file)
    return Scope(tuple(files), policies, values, bundle)


class Library:
    """Finds what a name means. Presets are read when one is first asked for."""

    def __init__(self, own: Scope, presets: Mapping[str, SourceTree], cache: CompileCache) -> None:
        self.own = own
        self._presets = presets
        self._cache = cache
        #: The presets that were asked for, by name.
        self.used: dict[str, Scope] = {}
        self._read: dict[str, Scope] = {}
        self._scopes: dict[str, Scope] = {file.path: own for file in own.files}

    def scope_of(self, policy: PolicyFile) -> Scope:
        """The scope ``policy`` was found in."""
        return self._scopes[policy.path]

    def find(self, mention: Mention, source: PolicyFile) -> PolicyFile | None:
        """The policy that ``mention`` means in the file ``source``, or None.

        That is a policy of its own bundle, else a preset's default policy, else ``preset.policy``.
        """
        found = self.scope_of(source).policies.get(mention.name)
        if found is not None:
            return found
        preset, dot, policy = mention.name.partition(".")
        scope = self._preset(preset)
        if scope is None:
            return None
        self.used[preset] = scope
        name = policy if dot else scope.default
        return None if name is None else scope.policies.get(name)

    def unknown(self, source: PolicyFile) -> bool:
        """Whether a name that ``find`` does not know surely does not exist."""
        return self.scope_of(source).complete

    def is_preset(self, name: str) -> bool:
        """Whether a preset has this name."""
        return name in self._presets

    def names(self, name: str, source: PolicyFile) -> list[str]:
        """What ``source`` could have meant by ``name``: policies of its bundle and presets, or those of the
        preset that it names."""
        preset, dot, _ = name.partition(".")
        if dot and preset in self._presets:
            return self._policies_of(preset)
        own = self.scope_of(source).policies
        return [known for known in (*own, *self._presets) if known != source.name]

    def suggestion(self, name: str, source: PolicyFile) -> str | None:
        """The name that was probably meant."""
        names = self.names(name, source)
        if "." in name:
            names += [policy for preset in self._presets for policy in self._policies_of(preset)]
        return closest(name, [known for known in names if known != name])

    def _policies_of(self, preset: str) -> list[str]:
        scope = self._preset(preset)
        return [] if scope is None else [f"{preset}.{policy}" for policy in scope.policies]

    def _preset(self, name: str) -> Scope | None:
        if name not in self._presets:
            return None
        scope = self._read.get(name)
        if scope is None:
            scope = self._read[name] = read_scope(self._presets[name], self._cache, preset_prefix(name))
            self._scopes.update((file.path, scope) for file in scope.files)
        return scope


def preset_prefix(name: str) -> str:
    """What goes before the paths of a preset's files."""
    return f"preset:{name}/"
