"""A PostgreSQL server of one's own, from the binaries that Debian's package installs."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_INSTALLED = Path("/usr/lib/postgresql")


def is_installed() -> bool:
    """Whether the server's binaries are here."""
    return bool(_controls())


@contextmanager
def postgresql(*settings: str) -> Iterator[str]:
    """The URL, without a database's name, of a server on loopback with ``settings`` like ``fsync=off``.

    Its files are in a folder of its own and go with it; ``postgres`` is an empty database. Raises
    CalledProcessError where the server does not start.
    """
    control, port = _controls()[-1], _free_port()
    with tempfile.TemporaryDirectory(prefix="policyc-pg-", dir="/tmp") as folder:
        run: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        run |= _as_postgres(folder)
        data = f"{folder}/data"
        initdb = control.with_name("initdb")
        subprocess.run([initdb, "-D", data, "-A", "trust", "-U", "postgres", "-N"], **run)
        options = [f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"]
        options += [f"-c {setting}" for setting in settings]
        start = ["-o", " ".join(options), "-l", f"{folder}/log", "-w", "start"]
        subprocess.run([control, "-D", data, *start], **run)
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}"
        finally:
            subprocess.run([control, "-D", data, "-m", "immediate", "-w", "stop"], **run)


def _controls() -> list[Path]:
    return sorted(_INSTALLED.glob("*/bin/pg_ctl"), key=lambda path: int(path.parent.parent.name))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _as_postgres(folder: str) -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "cwd": folder}
