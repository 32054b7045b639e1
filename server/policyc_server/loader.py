"""What is on disk to a policy that may be served, or to the reason why not."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from policyc.bundle.errors import BundleError
from policyc.compiler import CompileCache
from policyc.engine.model import Call
from policyc.loading import Loaded, LoadError, load_artifact, load_target
from policyc_server.approvals.rules import hold_rules
from policyc_server.history import ServedVersions
from policyc_server.settings import Settings
from policyc_server.snapshot import Snapshot

_log = logging.getLogger(__name__)

_MOST_SHOWN = 3


class Refused(Exception):
    """What is on disk cannot be served."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class PolicyLoader:
    """Loads what is configured: read, verify, compile, try; then admit against what was served before."""

    def __init__(self, settings: Settings, history: ServedVersions) -> None:
        self._settings = settings
        self._history = history
        self._cache = CompileCache()

    def load(self, path: Path) -> Loaded:
        """The policy at `path`, complete and tried. Raises Refused."""
        keys = self._settings.verify_keys
        return self._tried(lambda: load_target(path, trusted=keys, cache=self._cache))

    def load_artifact(self, content: bytes) -> Loaded:
        """The policy in the bytes of an artifact, complete and tried. Raises Refused."""
        return self._tried(lambda: load_artifact(content, trusted=self._settings.verify_keys))

    def _tried(self, load: Callable[[], Loaded]) -> Loaded:
        try:
            loaded = load()
            loaded.evaluator.decide(Call("policyc.self_test"))
        except LoadError as error:
            raise Refused(error.code, _explain(error)) from None
        except Exception as error:
            _log.exception("loading %s failed", self._settings.bundle)
            raise Refused("internal_error", f"loading failed: {error!r}") from None
        return loaded

    def admit(self, loaded: Loaded, current: Snapshot | None) -> None:
        """Notes that `loaded` is served from now on. Raises Refused where it must not replace `current`."""
        if not self._settings.verify_keys:
            return
        assert loaded.artifact is not None  # with keys, nothing else loads
        if current is not None and loaded.bundle != current.bundle:
            # Keys often sign more than one bundle, and another one may be looser.
            raise Refused(
                "bundle_changed",
                f"the artifact is of bundle {loaded.bundle}, served is {current.bundle}: restart to change",
            )
        try:
            self._history.admit(loaded.artifact)
        except BundleError as error:
            raise Refused(error.code, str(error)) from None


def _explain(error: LoadError) -> str:
    diagnostics = () if error.sources is None else error.sources.diagnostics
    errors = [found for found in diagnostics if found.severity == "error"]
    shown = [
        f"{it.path}:{it.line}:{it.column}: error[{it.code}]: {it.message}"
        + (f" ({it.hint})" if it.hint else "")
        for it in errors[:_MOST_SHOWN]
    ]
    return "; ".join((str(error), *shown))


def snapshot_of(loaded: Loaded) -> Snapshot:
    """`loaded` as requests read it, activated now."""
    return Snapshot(
        evaluator=loaded.evaluator,
        bundle=loaded.bundle,
        revision=loaded.revision,
        version=loaded.version,
        digest=loaded.digest,
        signed_by=loaded.signed_by,
        activated_at=time.time(),
        rules=hold_rules(loaded.plan.data),
        masks=tuple(loaded.plan.data.get("mask", ())),  # type: ignore[arg-type]
    )
