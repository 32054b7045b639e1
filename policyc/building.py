"""From a bundle folder or policy file to what goes into its artifact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policyc.bundle.artifact import build_artifact, revision_of_content
from policyc.compiler import CompileCache, compile_tree
from policyc.compiler.examples import Example
from policyc.compiler.presets import shipped_presets
from policyc.hooks import managed
from policyc.hooks.generate import generate_hooks
from policyc.source.diagnostics import Diagnostic
from policyc.source.tree import SourceError, read_tree

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Built:
    """The content of an artifact, what the compiler had to say (warnings only), and the examples of its
    rules, which the plan is without."""

    data: dict[str, Any]
    sources: Mapping[str, bytes]
    hooks: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    examples: tuple[Example, ...] = ()

    @property
    def bundle(self) -> str:
        return str(self.data["bundle"])

    def revision(self) -> str:
        """The revision that an artifact of this content has. BundleError as from ``build_artifact``."""
        return revision_of_content(self.data, self.sources, self.hooks)

    def artifact(self, revision: str | None = None) -> bytes:
        """The unsigned artifact. BundleError."""
        return build_artifact(self.data, self.sources, self.hooks, revision=revision)


def is_artifact(path: Path) -> bool:
    """Whether ``path`` is an artifact rather than sources, by its name or its first bytes."""
    if path.is_dir():
        return False
    if path.name.endswith((".tar.gz", ".tgz")):
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_GZIP)) == _GZIP
    except OSError:
        return False


class CompileError(Exception):
    """The sources have errors; ``diagnostics`` are all of them, and the warnings."""

    def __init__(self, path: Path, sources: Mapping[str, bytes], diagnostics: tuple[Diagnostic, ...]) -> None:
        self.sources = sources
        self.diagnostics = diagnostics
        errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
        super().__init__(f"{path} has {errors} {'error' if errors == 1 else 'errors'}")


def compile_path(path: Path, cache: CompileCache | None = None) -> Built:
    """The content compiled from ``path``.

    Raises SourceError (it cannot be read), CompileError (it has errors) and HooksError.
    """
    if is_artifact(path):
        raise SourceError(
            "artifact", f"{path} is an artifact, not sources: policyc inspect shows what is in it"
        )
    compilation = compile_tree(read_tree(path), presets=shipped_presets(), cache=cache)
    if compilation.data is None:
        raise CompileError(path, compilation.sources, compilation.diagnostics)
    hooks = {}
    if compilation.data["hooks"]:
        # Not the gate: its plan is data.json, and the rest is policyc's own.
        text = generate_hooks(compilation.data, "managed").files[managed.PATH]
        hooks = {f"managed/{managed.PATH}": text.encode()}
    return Built(compilation.data, compilation.sources, hooks, compilation.diagnostics, compilation.examples)
