"""``policyc hooks generate``: the files that an agent reads."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import click

from policyc.cli.answers import (
    PATH,
    REFUSED,
    fail,
    format_option,
    loaded,
    print_json,
    unprotected_option,
    verify_key_option,
)
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import TARGETS, generate_hooks
from policyc.hooks.generated import Native
from policyc.hooks.self_protection import exposed, require_self_protection
from policyc.hooks.target import Options
from policyc.hooks.write import drift, planned, write_files


@click.command("generate")
@click.argument("target", type=PATH)
@click.option("--target", "agent", type=click.Choice(TARGETS), default="managed", show_default=True)
@click.option("--out", type=PATH, default=".", show_default=True, help="The repository the agent works on.")
@click.option(
    "--check", is_flag=True, help="Write nothing; exit 1 when a file differs from what it would be."
)
@click.option(
    "--python", help="What starts the gate, `python3` on PATH if not given. Not for the managed agent."
)
@unprotected_option
@verify_key_option
@format_option
def command(
    target: Path,
    agent: str,
    out: Path,
    check: bool,
    python: str | None,
    unprotected: bool,
    verify_keys: tuple[str, ...],
    form: str,
) -> None:
    """Write the hooks of TARGET (a bundle folder or an artifact) for an agent, and say what stays open."""
    if agent == "managed" and python is not None:
        raise click.UsageError("the managed agent's sandbox has its own python3: leave --python out")
    try:
        data = loaded(target, verify_keys, form).plan.data
        if not unprotected:
            require_self_protection(data)
        generated = generate_hooks(data, agent, Options() if python is None else Options(python))
        plan = planned(generated, out)
        notes = [*_exposed_notes(exposed(data, plan.contents)), *generated.notes, *plan.notes]
        differences = drift(generated, out) if check else []
        written = [] if check else write_files(generated, out)
    except HooksError as error:
        fail(error.code, error.message, error.hint, form=form)
    if form == "json":
        print_json(
            {
                "files": [str(path) for path in written],
                "differences": differences,
                "notes": notes,
                "native": [asdict(one) for one in generated.native],
            }
        )
    else:
        for text in [*differences, *(str(path) for path in written)]:
            click.echo(text)
        for note in [*_native_notes(generated.native), *notes]:
            click.echo(f"note: {note}", err=True)
    sys.exit(REFUSED if differences else 0)


def _exposed_notes(paths: list[str]) -> Iterator[str]:
    if paths:
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        yield (
            f"The policy lets the agent change what guards it, {paths[0]}{more}: a rule comes before "
            "those of protect_control_plane, or the policy is in shadow."
        )


#: Rules named under one reason; all of them are in the JSON.
_NAMED = 5


def _native_notes(native: Iterable[Native]) -> Iterator[str]:
    """The native rules, and the reasons for which there are no others."""
    unsaid: dict[str, list[str]] = {}
    for one in native:
        if one.rule is None:
            unsaid.setdefault(one.why, []).append(one.what)
        else:
            yield f"Native rule: {one.what}: {one.rule}"
    for why, rules in unsaid.items():
        more = f" and {len(rules) - _NAMED} more" if len(rules) > _NAMED else ""
        yield f"No native rule, {why}: {'; '.join(rules[:_NAMED])}{more}."
