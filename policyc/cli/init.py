"""``policyc init``: a bundle to start from."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from policyc.cli.answers import PATH, fail, format_option, print_json
from policyc.compiler.presets import shipped_folder, shipped_presets
from policyc.source.names import bundle_name
from policyc.source.schema import NAMES, schema_text

_BUNDLE = """\
# yaml-language-server: $schema=.policyc/bundle.schema.json
bundle: {name}
hooks:
  policyc:
    pre_tool_execution:
      - handler: gate  # decides in the agent's sandbox; policyc hooks generate writes it
"""

_POLICY = """\
# yaml-language-server: $schema=../.policyc/policy.schema.json
description: What the agent may do. The first rule that matches decides; lower priority numbers come first.
default_verdict: deny
include: [protect_control_plane]  # what guards the agent is not the agent's to change
rules:
  - priority: 10
    label: block recursive deletion
    tool_name_glob: shell.*
    args_match:
      clauses:
        - {path: $.command, op: shell, value: {program: rm, any_flag: -r}}
    verdict: deny
    reason: Recursive deletion is not run by an agent.
    risk_factors: [destructive, irreversible]

  - priority: 20
    label: flag the shell
    tool_name_glob: shell.*
    verdict: audit

  - priority: 30
    label: allow reads
    tool_name_glob: [fs.read, fs.list, "*.get*", "*.search"]
    verdict: allow
"""

_AUTONOMY = """\
# yaml-language-server: $schema=../.policyc/policy.schema.json
description: What the agent may do, starting from the autonomy level {level} that ships with policyc.
extends: {level}
include: [protect_control_plane]  # what guards the agent is not the agent's to change
# Own rules come before those of {level} at equal priority; a lower number comes first.
rules: []
"""
_TESTS = """\
# yaml-language-server: $schema=../.policyc/test.schema.json
tests:
  - name: recursive deletion is blocked, whatever its spelling
    call: {tool: shell.exec}
    table:
      - {args: {command: rm -rf /}}
      - {args: {command: "sudo rm --recursive build"}}
      - {args: {command: "find . -name '*.o' | xargs rm -r"}}
    expect: {verdict: deny, rule: block recursive deletion}
  - name: other commands run and are flagged
    call: {tool: shell.exec, args: {command: ls -la}}
    expect: audit
  - name: reads run
    table:
      - {tool: fs.read, args: {path: README.md}}
      - {tool: crm.search}
    expect: {verdict: allow, rule: allow reads}
  - name: an unknown tool is denied
    call: {tool: payment.transfer}
    expect: {verdict: deny, rule: null}
"""

_AUTONOMY_TESTS = """\
# yaml-language-server: $schema=../.policyc/test.schema.json
tests:
  - name: the agent does not change what guards it
    call: {tool: fs.write, args: {path: .claude/settings.json, content: ""}, cwd: /work}
    expect: deny
"""
#: From what leaves an agent the least room to what leaves it the most.
_LEVELS = ("tight", "balanced", "permissive")


@click.command("init")
@click.argument("folder", type=PATH, default=".")
@click.option("--from", "preset", metavar="NAME", help="Start from a bundle that ships with policyc.")
@click.option(
    "--autonomy", "level", type=click.Choice(_LEVELS), help="Extend a bundle that says how free the agent is."
)
@format_option
def command(folder: Path, preset: str | None, level: str | None, form: str) -> None:
    """Write a bundle into FOLDER: bundle.yaml, a policy that denies by default, its tests, and schemas for
    the editor.

    Nothing that is there is overwritten.
    """
    if preset is not None and level is not None:
        raise click.UsageError("give either --from or --autonomy")
    name = bundle_name(folder.resolve().name)
    files = _files(name, preset, level, form)
    files |= {f".policyc/{schema}.schema.json": schema_text(schema).encode() for schema in NAMES}
    existing = sorted(path for path in files if (folder / path).exists())
    if existing:
        fail("exists", f"{folder / existing[0]} is there already", "Choose an empty folder.", form=form)
    try:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with (folder / path).open("xb") as file:
                file.write(content)
    except OSError as error:
        fail("unwritable_file", f"cannot write {error.filename}: {error.strerror}", form=form)
    if form == "json":
        print_json({"files": [str(folder / path) for path in sorted(files)]})
        return
    for path in sorted(files):
        click.echo(str(folder / path))
    example = ["policyc", "eval", str(folder), "--tool", "shell.exec", "--args", '{"command": "rm -rf /"}']
    click.echo(f"Try: {shlex.join(example)}", err=True)


def _files(name: str, preset: str | None, level: str | None, form: str) -> dict[str, bytes]:
    if preset is not None:
        return _copy(preset, form)
    return _starter(name) if level is None else _extending(name, level, form)


def _extending(name: str, level: str, form: str) -> dict[str, bytes]:
    _check_ships(level, form)
    # Not named after the folder: a policy `tight` would extend itself.
    return {
        "bundle.yaml": _BUNDLE.format(name=name).encode(),
        "policies/agent.yaml": _AUTONOMY.format(level=level).encode(),
        "tests/agent.yaml": _AUTONOMY_TESTS.encode(),
    }


def _starter(name: str) -> dict[str, bytes]:
    return {
        "bundle.yaml": _BUNDLE.format(name=name).encode(),
        f"policies/{name}.yaml": _POLICY.encode(),
        f"tests/{name}.yaml": _TESTS.encode(),
    }


def _copy(preset: str, form: str) -> dict[str, bytes]:
    _check_ships(preset, form)
    folder = shipped_folder(preset)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _check_ships(name: str, form: str) -> None:
    presets = shipped_presets()
    if name not in presets:
        fail("unknown_preset", f"no bundle {name!r} ships; there is {', '.join(sorted(presets))}", form=form)
