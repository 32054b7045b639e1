"""The real bash, with nothing to run: it records the argument lists that a line would run.

The environment is empty, so is the folder, and PATH names no folder: every program is "not found", and
bash then calls ``command_not_found_handle``, which writes the argument list to descriptor 9. Only lines that
the tests generate come here: their programs are made-up words without a slash, and their redirects name files
in the folder. Time, processor time and file sizes are limited.
"""

import os
import pathlib
import resource
import shutil
import subprocess

BASH = shutil.which("bash", path="/bin:/usr/bin:/usr/local/bin")

_SCRIPT = """\
command_not_found_handle() { builtin printf '%s\\0' "$#" "$@" >&9; }
exec 9>>"$LOG"
"""


def _limit():
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def recorded(line: str, folder: pathlib.Path) -> list[list[str]]:
    """The argument lists of the programs that bash looked for, in order of their start."""
    empty = folder / "empty"
    shutil.rmtree(empty, ignore_errors=True)
    empty.mkdir()
    log = folder / "log"
    log.write_bytes(b"")
    subprocess.run(
        [BASH, "--norc", "--noprofile", "-c", _SCRIPT + line],
        env={
            "PATH": os.path.join(folder, "no-such-folder"),
            "HOME": "/home/u",
            "LOG": str(log),
            "LC_ALL": "C.UTF-8",
        },
        cwd=empty,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=10,
        preexec_fn=_limit,
        check=False,
    )
    fields = log.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1]
    found = []
    while fields:
        count = int(fields[0])
        found.append(fields[1 : count + 1])
        fields = fields[count + 1 :]
    return found
