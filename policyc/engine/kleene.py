"""Three-valued answers: True, False, and None for what cannot be known."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Iterable


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """True where one is; else unknown where one is unknown."""
    unknown = False
    for answer in answers:
        if answer:
            return True
        unknown = unknown or answer is None
    return None if unknown else False


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """False where one is; else unknown where one is unknown."""
    unknown = False
    for answer in answers:
        if answer is False:
            return False
        unknown = unknown or answer is None
    return None if unknown else True


def negated(answer: bool | None) -> bool | None:
    """The opposite; of unknown, unknown."""
    return None if answer is None else not answer
