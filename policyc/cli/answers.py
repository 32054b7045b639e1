"""How every command answers: text or JSON on stdout, errors with a code, one set of exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from policyc.building import Built, CompileError, compile_path
from policyc.bundle.artifact import read_archive_file
from policyc.bundle.errors import BundleError
from policyc.bundle.keys import VerificationKey, load_verification_key
from policyc.hooks.errors import HooksError
from policyc.loading import Loaded, LoadError, load_target
from policyc.source.diagnostics import Diagnostic
from policyc.source.render import render_json, render_text
from policyc.source.tree import SourceError

REFUSED, UNUSABLE = 1, 2

#: A path is only parsed here; whether something is there is for the library to say, with a code.
PATH = click.Path(path_type=Path)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output form.",
)
verify_key_option = click.option(
    "--verify-key",
    "verify_keys",
    multiple=True,
    metavar="[ID=]FILE",
    help="Trusted key (public PEM, certificate or HMAC secret); several may be given, so that keys rotate.",
)

unprotected_option = click.option(
    "--no-self-protection",
    "unprotected",
    is_flag=True,
    help="Without protect_control_plane in the policy too.",
)


def print_json(document: object) -> None:
    """``document`` as indented JSON."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def counted(number: int, noun: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def fail(
    code: str, message: str, hint: str | None = None, *, form: str = "text", exit_code: int = UNUSABLE
) -> NoReturn:
    """Ends the command with an error, in one shape whatever went wrong."""
    if form == "json":
        print_json({"error": {"code": code, "message": message, "hint": hint}})
    else:
        click.echo(f"error[{code}]: {message}", err=True)
        if hint:
            click.echo(f"  help: {hint}", err=True)
    sys.exit(exit_code)


def fail_bundle(error: BundleError, *, form: str = "text", exit_code: int = UNUSABLE) -> NoReturn:
    """Ends the command with what the bundle library refused."""
    fail(error.code, error.message, error.hint, form=form, exit_code=exit_code)


def trusted_keys(specs: Iterable[str], form: str) -> list[VerificationKey]:
    """The keys that ``--verify-key`` names."""
    try:
        return [load_verification_key(spec) for spec in specs]
    except BundleError as error:
        fail_bundle(error, form=form)


def opened(path: str, target: Path) -> str:
    """A source's path as the user would open it, from the target as it was typed."""
    if path.startswith("preset:"):
        return path
    return str(target / path) if target.is_dir() else str(target)


def artifact_bytes(path: Path, form: str) -> bytes:
    """The bytes of an artifact on disk; ends the command when they cannot be read."""
    try:
        return read_archive_file(path)
    except BundleError as error:
        fail_bundle(error, form=form)


def located(diagnostics: Iterable[Diagnostic], target: Path) -> list[Diagnostic]:
    """The diagnostics with paths as the user would open them."""
    return [replace(found, path=opened(found.path, target)) for found in diagnostics]


def print_diagnostics(
    diagnostics: Iterable[Diagnostic], target: Path, sources: Mapping[str, bytes], *, err: bool = True
) -> None:
    """The diagnostics as text, each with its source line; on stderr unless they are what was asked for."""
    files = {opened(path, target): content for path, content in sources.items()}
    click.echo(render_text(located(diagnostics, target), files), err=err, nl=False)


def compiled(target: Path, form: str) -> Built:
    """The content compiled from sources; ends the command when they cannot be read or have errors."""
    try:
        built = compile_path(target)
    except SourceError as error:
        fail(error.code, error.message, form=form)
    except CompileError as error:
        fail_sources(error, target, form)
    except HooksError as error:
        fail(error.code, error.message, error.hint, form=form)
    if form == "text":
        print_diagnostics(built.diagnostics, target, built.sources)
    return built


def loaded(target: Path, verify_keys: Iterable[str], form: str) -> Loaded:
    """The target, ready to decide; ends the command when it cannot be."""
    try:
        return load_target(target, trusted=trusted_keys(verify_keys, form))
    except LoadError as error:
        if error.sources is not None:
            fail_sources(error.sources, target, form)
        fail(error.code, error.message, error.hint, form=form)


def fail_sources(error: CompileError, target: Path, form: str) -> NoReturn:
    """Ends the command with everything that is wrong with the sources."""
    if form == "json":
        print_json(diagnostics_document(error.diagnostics, target))
    else:
        print_diagnostics(error.diagnostics, target, error.sources)
        click.echo(str(error), err=True)
    sys.exit(REFUSED)


def diagnostics_document(diagnostics: Iterable[Diagnostic], target: Path) -> dict[str, Any]:
    """The diagnostics as JSON data."""
    found = located(diagnostics, target)
    return {
        "ok": not any(one.severity == "error" for one in found),
        "diagnostics": render_json(found),
    }
