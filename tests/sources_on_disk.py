"""Source files on disk, as examples and golden cases give them."""

from __future__ import annotations

from pathlib import Path

from policyc.compiler import Compilation, compile_tree
from policyc.source.tree import SourceTree, read_tree

#: Stands for the presets that ship, so that those can change.
PRESETS = {
    "tight": SourceTree({"policies/tight.yaml": b"default_verdict: deny\nrules: []\n"}, "tight"),
    "guard": SourceTree(
        {
            "bundle.yaml": b"bundle: guard\ndefault_policy: guard\n",
            "policies/guard.yaml": b"- {priority: 2, label: no push, verdict: deny}\n",
            "policies/allow_push.yaml": b"- {priority: 1, label: push, verdict: allow}\n",
        },
        "guard",
    ),
}


def write_files(files: dict[str, bytes], folder: Path) -> Path:
    """The files below ``folder``, and what names them on a command line: a lone policy file or ``folder``."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    first = next(iter(files))
    return folder / first if len(files) == 1 and "/" not in first and first != "bundle.yaml" else folder


def compile_files(files: dict[str, bytes], folder: Path) -> Compilation:
    """What the files come to, read from ``folder``."""
    return compile_tree(read_tree(write_files(files, folder / "x")), presets=PRESETS)
