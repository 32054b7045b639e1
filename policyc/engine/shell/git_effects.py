"""What git does to the working tree and to its own files."""

from __future__ import annotations

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.effects_table import Paths, below, tree, trees
from policyc.engine.shell.fields import Dynamic, Glob, Tree


def git(paths: Paths) -> None:
    """Paths are relative to ``-C``."""
    operands = paths.operands
    command = operands[0] if operands else ""
    handler = _COMMANDS.get(command) if isinstance(command, str) else None
    if handler is not None:
        handler(paths, _Named(paths))
    elif isinstance(command, Dynamic):
        paths.writes.append(None)
        paths.deletes.append(None)
    for folder in paths.values("-C"):
        for found in (paths.reads, paths.writes, paths.deletes):
            found[:] = [_inside(folder, field) for field in found]


def _inside(folder: str | Dynamic, field: str | Dynamic | None) -> str | Dynamic | None:
    if not isinstance(field, str) or field[:1] in ("/", "~"):
        return field
    if isinstance(folder, Dynamic):
        return folder
    return (
        type(field)(folder.rstrip("/") + "/" + field)
        if isinstance(field, (Glob, Tree))
        else folder + "/" + field
    )


class _Named:
    """The operands after the subcommand: all of them, and those surely paths (after ``--``)."""

    def __init__(self, paths: Paths) -> None:
        separator = paths.arguments.separator
        self.all = paths.operands[1:]
        self.paths = self.all if separator is None else paths.operands[max(separator, 1) :]
        self.separated = separator is not None
        lists = paths.values("--pathspec-from-file")
        if lists:  # the paths stand in a file
            paths.reads += lists
            self.all = [*self.all, Dynamic()]
            self.paths = [Dynamic()]
            self.separated = True


def _checkout(paths: Paths, named: _Named) -> None:
    if paths.values("-b", "-B", "--orphan"):
        return
    if named.separated or len(named.all) > 1:
        paths.writes += trees(named.paths if named.separated else named.all[1:])
    elif named.all and (not isinstance(named.all[0], str) or _is_path(named.all[0])):
        paths.writes += trees(named.all)
    if paths.has("--force"):
        paths.writes.append(Tree("."))


def _is_path(text: str) -> bool:
    """``git checkout x`` is a branch where there is one of that name; what reads like a file is one."""
    return (
        text in (".", "..")
        or text.startswith(("./", "../", "/", "~", ":/", ":("))
        or "*" in text
        or ("." in text.rpartition("/")[2][1:] and not _VERSION.search(text))
    )


#: What ends like a version is a tag: `v1.2.3`, `release-1.2`.
_VERSION = lazy_pattern(r"[0-9]\.[0-9][0-9A-Za-z.\-]*(?<=[0-9])\Z")


def _restore(paths: Paths, named: _Named) -> None:
    if paths.has("--worktree") or not paths.has("--staged"):
        paths.writes += trees(named.all)


def _reset(paths: Paths, _: _Named) -> None:
    if paths.has("--hard", "--merge", "--keep"):
        paths.writes.append(Tree("."))


def _clean(paths: Paths, named: _Named) -> None:
    if paths.has("--force", "--interactive") and not paths.has("--dry-run"):
        paths.deletes += trees(named.all) or [Tree(".")]


def _rm(paths: Paths, named: _Named) -> None:
    if not paths.has("--cached", "--dry-run"):
        paths.deletes += trees(named.all) if paths.has("-r") else named.all


def _mv(paths: Paths, named: _Named) -> None:
    *sources, target = named.all or [""]
    paths.deletes += trees(sources)
    paths.writes += [target, *[below(target, source) for source in sources]]


def _tree(paths: Paths, named: _Named) -> None:
    words = [word for word in named.all if isinstance(word, str)]
    if words[:1] not in (["list"], ["show"], ["drop"], ["clear"], ["--abort"]):
        paths.writes.append(Tree("."))


def _clone(paths: Paths, named: _Named) -> None:
    if len(named.all) > 1:
        paths.writes.append(tree(named.all[1]))
    elif named.all:
        name = named.all[0]
        paths.writes.append(tree(below(".", name.removesuffix(".git")) if isinstance(name, str) else name))


def _config(paths: Paths, named: _Named) -> None:
    changes = len(named.all) > 1 and named.all[0] not in ("get", "list")
    if changes or paths.has(
        "--unset", "--unset-all", "--edit", "--add", "--replace-all", "--unset", "--remove-section"
    ):
        files = paths.values("--file")
        shared = (
            "~/.gitconfig"
            if paths.has("--global")
            else "/etc/gitconfig"
            if paths.has("--system")
            else ".git/config"
        )
        paths.writes += files or [shared]


def _reads(paths: Paths, named: _Named) -> None:
    for operand in named.all:
        if isinstance(operand, str):
            paths.reads.append(
                operand.partition(":")[2] if ":" in operand and "://" not in operand else operand
            )
    paths.writes += paths.values("--output")


def _commit(paths: Paths, named: _Named) -> None:
    paths.reads += [*named.all, *paths.values("--file", "--template")]


def _worktree(paths: Paths, named: _Named) -> None:
    if named.all[:1] == ["remove"]:
        paths.deletes += trees(named.all[1:])
    elif named.all[:1] == ["add"]:
        paths.writes += trees(named.all[1:2])


def _output(paths: Paths, _: _Named) -> None:
    paths.writes += paths.values("--output", "--output-directory")


def _bundle(paths: Paths, named: _Named) -> None:
    (paths.writes if named.all[:1] == ["create"] else paths.reads).extend(named.all[1:2])


def _checkout_index(paths: Paths, named: _Named) -> None:
    if paths.has("-a", "--all"):
        paths.writes.append(Tree("."))
    paths.writes += named.all


def _read_tree(paths: Paths, _: _Named) -> None:
    if paths.has("-u"):
        paths.writes.append(Tree("."))


_COMMANDS = {
    "checkout": _checkout,
    "restore": _restore,
    "reset": _reset,
    "clean": _clean,
    "rm": _rm,
    "mv": _mv,
    "stash": _tree,
    "apply": _tree,
    "clone": _clone,
    "config": _config,
    "add": _reads,
    "show": _reads,
    "diff": _reads,
    "grep": _reads,
    "blame": _reads,
    "cat-file": _reads,
    "hash-object": _reads,
    "commit": _commit,
    "worktree": _worktree,
    "archive": _output,
    "format-patch": _output,
    "log": _output,
    "shortlog": _output,
    "bundle": _bundle,
    "checkout-index": _checkout_index,
    "read-tree": _read_tree,
}
