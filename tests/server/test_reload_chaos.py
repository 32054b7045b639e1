"""Whatever happens to a folder, and however fast: in the end its last content is served."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from server.in_process import InProcess
from server.material import PAYMENT, write_bundle
from server.process import eventually


class Folder:
    """A bundle folder, and what tools, people and accidents do to it."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.path = root / "b"
        self._root = root
        self._chance = chance
        self._names = 0
        self._deeds = (
            self.break_it,
            self.remove,
            self.move_away,
            self.lose_policies,
            self.grow,
            self.link,
            self.unlink,
        )

    def disturb(self) -> None:
        # One deed often makes the next impossible.
        with contextlib.suppress(OSError):
            self._chance.choice(self._deeds)()

    def end_as(self, cap: int) -> None:
        with contextlib.suppress(OSError):
            self.path.unlink()
        write_bundle(self.path, cap)

    def break_it(self) -> None:
        (self.path / "policies" / "agent.yaml").write_text("rules: {")

    def remove(self) -> None:
        shutil.rmtree(self.path)

    def move_away(self) -> None:
        os.rename(self.path, self._another())

    def lose_policies(self) -> None:
        shutil.rmtree(self.path / "policies")

    def grow(self) -> None:
        (self.path / "policies" / "team").mkdir(parents=True)

    def link(self) -> None:
        other = write_bundle(self._another())
        self.move_away()
        self.path.symlink_to(other)

    def unlink(self) -> None:
        self.path.unlink()

    def _another(self) -> Path:
        self._names += 1
        return self._root / f"other{self._names}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_last_content_is_served(client_of: Callable[..., InProcess], tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder = Folder(tmp_path, chance)
    folder.end_as(100000)
    # Without polling, so that every way to miss an event would show.
    client = client_of(folder.path, poll=1000.0, settle=0.02)
    for _ in range(60):
        for _ in range(chance.randint(1, 4)):
            folder.disturb()
            time.sleep(chance.choice((0, 0, 0.01, 0.05)))
        cap, verdict = chance.choice([(1000, "deny"), (100000, "allow")])
        folder.end_as(cap)
        eventually(lambda: client.status()["reload"]["error"] is None)
        eventually(lambda verdict=verdict: client.verdict(PAYMENT) == verdict)
