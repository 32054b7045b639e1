"""Commands in a container: the folders of the machine that it is given are those of the machine."""

from __future__ import annotations

from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import Dynamic, Glob, Tree
from policyc.engine.shell.running_api import Running

Mounts = list["tuple[str, str]"]


def run_inside(shell: Running, command: SimpleCommand, inner: list[str | Dynamic]) -> str | Dynamic:
    """Runs the command after the name of the image, with its paths as the machine knows them."""
    values = command.arguments.value_of
    entry = values("--entrypoint")[-1:] or _entry_point(command, inner)
    inner = [*entry, *inner]
    if not inner:
        return ""
    mounts = _mounts(shell, values("--volume", "-v") + values("--mount"))
    start = len(shell.commands)
    outer = shell.variables
    shell.variables = outer.copy()
    folder = next(iter(values("--workdir")[-1:]), None)
    here = _here(folder, mounts) if isinstance(folder, str) else None
    if here is not None:
        shell.variables.go(here)
    output = shell.dispatch(inner, command.redirected_from, command.redirected_to)
    shell.variables = outer
    for one in shell.commands[start:] if mounts else []:
        for kind in ("reads", "writes", "deletes"):
            setattr(one.effects, kind, tuple(_mapped(path, mounts) for path in getattr(one.effects, kind)))
    return output


def _entry_point(command: SimpleCommand, inner: list[str | Dynamic]) -> list[str | Dynamic]:
    """The program of an image that is one: it takes the words after the image, which begin with no program
    where they begin with a flag or an address."""
    operands = command.arguments.operands
    image = operands[-1] if operands[:-1] else ""
    if not isinstance(image, str) or "exec" in operands[:2]:
        return []
    name = image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    first = inner[0] if inner else ""
    is_no_program = isinstance(first, str) and (first[:1] == "-" or "://" in first)
    program = _ENTRY_POINTS.get(name, name if is_no_program else "")
    return [program] if program and first != program else []


#: Images that run one program, by their own names.
_ENTRY_POINTS = {
    "aws-cli": "aws",
    **{
        name: name
        for name in ("curl", "git", "helm", "kubectl", "mc", "pulumi", "rclone", "terraform", "tofu")
    },
}


def _mounts(shell: Running, values: list[str | Dynamic]) -> Mounts:
    """(folder in the container, folder of the machine), the longest first."""
    found: Mounts = []
    for value in values:
        if not isinstance(value, str):
            continue
        pairs = dict(part.split("=", 1) for part in value.split(",") if "=" in part)
        source = pairs.get("source", pairs.get("src", ""))
        target = next((pairs[key] for key in ("target", "destination", "dst") if key in pairs), "")
        if not target:
            source, _, target = value.partition(":")
            target = target.partition(":")[0]
        path = shell.variables.resolve(source) if source[:1] in ("/", ".", "~") else None
        if path is not None and target[:1] == "/":
            found.append((target.rstrip("/") or "/", path))
    return sorted(found, reverse=True)


def _here(path: str, mounts: Mounts) -> str | None:
    for target, source in mounts:
        if path == target or path.startswith(target.rstrip("/") + "/"):
            rest = path[len(target.rstrip("/")) :]
            return source.rstrip("/") + rest or "/"
    return None


def _mapped(path: str | None, mounts: Mounts) -> str | None:
    here = None if path is None else _here(path, mounts)
    if here is None:
        return path
    return type(path)(here) if isinstance(path, (Glob, Tree)) else here
