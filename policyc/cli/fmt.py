"""``policyc fmt``: sources in one form."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import click

from policyc.cli.answers import PATH, REFUSED, counted, fail, format_option, print_json
from policyc.cli.writing import write_file
from policyc.formatting import Formatted, format_source, source_files
from policyc.source.render import render_json, render_text, visible

_STDIN = Path("-")
_REFUSED = "laid out anew it would not say the same, or would lose a comment"
_HINT = "Write keys on one line each, and texts of several lines as block scalars (`|`)."


@dataclass(frozen=True, slots=True)
class _File:
    """``name`` is the path in its bundle, ``path`` where it is."""

    name: str
    path: Path
    before: bytes
    formatted: Formatted

    @property
    def changed(self) -> bool:
        return self.formatted.content != self.before

    @property
    def unusable(self) -> bool:
        return self.formatted.refused or any(it.severity == "error" for it in self.formatted.diagnostics)


@click.command("fmt")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when a file is not in the form.")
@click.option("--diff", "as_diff", is_flag=True, help="Write nothing; show what would change.")
@format_option
def command(paths: tuple[Path, ...], check: bool, as_diff: bool, form: str) -> None:
    """Lay the sources at PATHS out in one form: files, or all bundles in folders (here, without PATHS).

    Comments, the order of rules and every value stay as they are. `-` reads one file and writes it to the
    output. JSON files are left alone. Exit 1 when a file has errors; it is left as it is.
    """
    files = [_read(name, path, form) for name, path in _found(paths or (Path(),), form)]
    if paths == (_STDIN,) and not check and not as_diff:
        _pass_on(files[0])
    for file in files if not check and not as_diff else ():
        if file.changed:
            write_file(file.path, file.formatted.content, form)
    if form == "json":
        print_json(_document(files))
    else:
        _say(files, check, as_diff)
    wrong = any(file.unusable or (check and file.changed) for file in files)
    sys.exit(REFUSED if wrong else 0)


def _found(paths: tuple[Path, ...], form: str) -> list[tuple[str, Path]]:
    found: dict[Path, str] = {}
    for path in paths:
        inside = [("policy.yaml", path)] if path == _STDIN else source_files(path)
        if not inside:
            fail(
                "no_sources",
                f"{path} has no bundle in it",
                "Name a folder with a bundle.yaml, or a file.",
                form=form,
            )
        found.update({file: name for name, file in inside})
    if _STDIN in found and len(found) > 1:
        fail("no_sources", "`-` stands alone", "Read one file from the input, or name files.", form=form)
    return [(name, file) for file, name in found.items()]


def _read(name: str, path: Path, form: str) -> _File:
    try:
        before = sys.stdin.buffer.read() if path == _STDIN else path.read_bytes()
    except OSError as error:
        fail("unreadable_file", f"cannot read {path}: {error.strerror}", form=form)
    return _File(name, path, before, format_source(name, before))


def _pass_on(file: _File) -> NoReturn:
    if file.unusable:
        _say_what_is_wrong([file])
        sys.exit(REFUSED)
    sys.stdout.buffer.write(file.formatted.content)
    sys.exit(0)


def _say(files: list[_File], check: bool, as_diff: bool) -> None:
    _say_what_is_wrong(files)
    changed = [file for file in files if file.changed]
    if as_diff:
        for line in (line for file in changed for line in _diff(file)):
            click.echo(visible(line))
    if check or not as_diff:
        verb = "would be formatted" if check else "formatted"
        for file in changed:
            click.echo(visible(f"{verb}: {file.path}"))
        click.echo(f"{counted(len(changed), 'file')} {verb}, {len(files) - len(changed)} left as they are")


def _say_what_is_wrong(files: list[_File]) -> None:
    for file in files:
        found = [replace(it, path=str(file.path)) for it in file.formatted.diagnostics]
        click.echo(render_text(found, {str(file.path): file.before}), err=True, nl=False)
        if file.formatted.refused:
            click.echo(visible(f"error[not_formatted]: {file.path}: {_REFUSED}\n  help: {_HINT}"), err=True)


def _diff(file: _File) -> Iterator[str]:
    before, after = (text.decode().splitlines() for text in (file.before, file.formatted.content))
    yield from difflib.unified_diff(before, after, f"a/{file.path}", f"b/{file.path}", lineterm="")


def _document(files: list[_File]) -> dict[str, object]:
    return {
        "ok": not any(file.unusable for file in files),
        "files": [
            {
                "path": str(file.path),
                "changed": file.changed,
                "refused": file.formatted.refused,
                "diagnostics": render_json(
                    [replace(it, path=str(file.path)) for it in file.formatted.diagnostics]
                ),
            }
            for file in files
        ],
    }
