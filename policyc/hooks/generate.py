"""Files for an agent's hooks, from a compiled bundle; one entry per target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from policyc.hooks import managed
from policyc.hooks.errors import HooksError
from policyc.hooks.generated import Generated

__all__ = ["TARGETS", "Generated", "generate_hooks"]

#: Target -> its generator. A generator is pure: the same data gives the same bytes.
TARGETS: Final[Mapping[str, Callable[[Mapping[str, Any]], Generated]]] = {"managed": managed.generate}


def generate_hooks(data: Mapping[str, Any], target: str = "managed") -> Generated:
    """The files that run the hooks of a bundle under ``target``.

    ``data`` is the payload of a compiled bundle, with policies that ``Plan.load`` accepts. Raises HooksError.
    """
    generator = TARGETS.get(target)
    if generator is None:
        supported = ", ".join(TARGETS)
        raise HooksError("unknown_target", f"{target!r} is not a target of hooks; supported: {supported}")
    return generator(data)
