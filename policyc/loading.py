"""From any target (bundle folder, policy file, artifact) to something that decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from policyc.building import CompileError, compile_path, is_artifact
from policyc.bundle.artifact import Artifact, read_archive_file, read_artifact
from policyc.bundle.errors import BundleError
from policyc.bundle.keys import VerificationKey
from policyc.compiler import CompileCache
from policyc.compiler.examples import Example
from policyc.engine.evaluate import Evaluator
from policyc.engine.plan import Plan, PlanError
from policyc.hooks.errors import HooksError
from policyc.source.diagnostics import Diagnostic
from policyc.source.tree import SourceError


@dataclass(frozen=True)
class Loaded:
    """A target, ready to decide. ``version`` and ``signed_by`` are None unless a trusted key vouches.
    ``sources`` are its source files by path, and ``examples`` those of its rules; an artifact has none."""

    evaluator: Evaluator
    bundle: str
    revision: str
    digest: str
    version: int | None = None
    signed_by: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    artifact: Artifact | None = None
    sources: Mapping[str, bytes] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def plan(self) -> Plan:
        return self.evaluator.plan


class LoadError(Exception):
    """A target that cannot be used: ``code``, ``message`` and ``hint``; ``sources`` says more of sources
    that have errors."""

    def __init__(
        self, code: str, message: str, hint: str | None = None, sources: CompileError | None = None
    ) -> None:
        super().__init__(message if hint is None else f"{message}. {hint}")
        self.code = code
        self.message = message
        self.hint = hint
        self.sources = sources


def load_target(
    path: Path, *, trusted: Sequence[VerificationKey] = (), cache: CompileCache | None = None
) -> Loaded:
    """The evaluator for ``path``. With ``trusted`` keys only an artifact signed by one of them will do.

    Raises LoadError.
    """
    with _told():
        if is_artifact(path):
            return _load_artifact(read_archive_file(path), trusted)
        return _load_sources(path, trusted, cache)


def load_artifact(content: bytes, *, trusted: Sequence[VerificationKey] = ()) -> Loaded:
    """The evaluator for the bytes of an artifact, as ``load_target``. Raises LoadError."""
    with _told():
        return _load_artifact(content, trusted)


@contextmanager
def _told() -> Iterator[None]:
    """What can be wrong with a target, as LoadError."""
    try:
        yield
    except (BundleError, HooksError) as error:
        raise LoadError(error.code, error.message, error.hint) from error
    except SourceError as error:
        raise LoadError(error.code, error.message) from error
    except CompileError as error:
        raise LoadError("sources_refused", str(error), "Run policyc check.", error) from error
    except PlanError as error:
        hint = "Build the artifact again with this version of policyc."
        raise LoadError("plan_refused", f"the compiled policy cannot be used: {error}", hint) from error


def _load_artifact(content: bytes, trusted: Sequence[VerificationKey]) -> Loaded:
    artifact = read_artifact(content, trusted=trusted)
    signature = artifact.signature
    return Loaded(
        Evaluator(Plan.load(artifact.data)),
        artifact.bundle,
        artifact.revision,
        artifact.digest,
        version=artifact.version,
        signed_by=signature.key_id if signature is not None and signature.verified else None,
        artifact=artifact,
    )


def _load_sources(path: Path, trusted: Sequence[VerificationKey], cache: CompileCache | None) -> Loaded:
    if trusted:
        raise LoadError(
            "sources_unsigned",
            f"{path} is a source, and with a verification key only a signed artifact is loaded",
            "Build and sign it: policyc build, policyc sign.",
        )
    built = compile_path(path, cache)
    revision = built.revision()
    return Loaded(
        Evaluator(Plan.load(built.data)),
        built.bundle,
        revision,
        revision,
        diagnostics=built.diagnostics,
        sources=built.sources,
        examples=built.examples,
    )
