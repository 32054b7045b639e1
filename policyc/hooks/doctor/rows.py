"""What became of a hook in one situation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from policyc.hooks.target import Judgement

Status = Literal["closed", "open", "cannot be closed", "broken", "not exercised"]
#: The statuses that somebody has to do something about.
FAULTY: Final = frozenset({"open", "broken"})


@dataclass(frozen=True)
class Row:
    """``what`` was done, and its ``status``: ``closed`` (what must be stopped is, what must pass does),
    ``open`` (a call ran), ``cannot be closed`` (a call ran, and no setting of this agent stops it),
    ``broken`` (a call that must pass is stopped) or ``not exercised``. ``cases``: the kinds of public
    failure that this is."""

    name: str
    what: str
    status: Status
    why: str
    cases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """What became of a call, and ``how`` the hook ended. ``remedy``: the setting that would have stopped it,
    empty where there is none."""

    judgement: Judgement
    how: str
    remedy: str = ""
