"""What the figures were measured on: versions and cores, nothing that names a machine or a person."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import yaml

import policyc

_LIBRARIES = ("google-re2", "PyYAML", "msgspec", "starlette", "uvicorn", "uvloop", "httptools")


@dataclass(frozen=True)
class Environment:
    """Versions and cores."""

    policyc: str
    python: str
    system: str
    cores: int
    load_average: float
    """Processes that wanted to run in the last minute: much above 0 means that others disturb the figures."""
    libraries: dict[str, str]


def environment() -> Environment:
    """The environment of this process."""
    return Environment(
        policyc=policyc.__version__,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        system=f"{platform.system()} {platform.machine()}",
        cores=_cores(),
        load_average=os.getloadavg()[0],
        libraries={name: _version(name) for name in _LIBRARIES} | {"libyaml": _libyaml()},
    )


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _libyaml() -> str:
    return "used" if yaml.__with_libyaml__ else "missing"
