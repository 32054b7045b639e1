"""Arithmetic runs code: it reads names in the values of names, and expands what stands in their subscripts.

``x='a[$(rm y)]'; echo $((x))`` runs rm (Bash Reference Manual, 6.5 and 6.7).
"""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.fields import HOLE, Dynamic
from policyc.engine.shell.scanner import Unparsable
from policyc.engine.shell.variables import Variables

#: Characters that expansion may produce for one line: constants that double one another grow fast.
MAX_PRODUCED = 1 << 20
#: What it costs to look at one value, in such characters.
STEP = 16

_NAME = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)
_ASSIGNED = lazy_pattern(
    r"([A-Za-z_]\w*)[ \t]*(?:\[[^\]\[]{0,99}\][ \t]*)?(?:[-+*/%&|^]|<<|>>)?=(?!=)"
    r"|([A-Za-z_]\w*)(?:\+\+|--)|(?:\+\+|--)([A-Za-z_]\w*)",
    re.ASCII,
)


def assigned(text: str) -> list[str]:
    """The names that an arithmetic expression sets."""
    return [name for groups in _ASSIGNED.findall(text) for name in groups if name]


class Evaluator:
    """What arithmetic needs of a shell."""

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self.produced = 0

    def unknown_command(self) -> None:
        raise NotImplementedError

    def expanded(self, text: str) -> str | Dynamic:
        """A text in which the shell expands what begins with a dollar or a backquote."""
        raise NotImplementedError

    def work(self, size: int) -> None:
        """Counts characters that expansion makes, or reads again. Raises Unparsable beyond MAX_PRODUCED."""
        self.produced += size
        if self.produced > MAX_PRODUCED:
            raise Unparsable("the line expands to too much text")

    def evaluate(self, text: str | Dynamic) -> None:
        """Runs what an expression runs. One that is not known may run anything, unless it is tame."""
        waiting: list[str | Dynamic] = [text]
        seen: set[str] = set()
        while waiting:
            text = waiting.pop()
            if isinstance(text, Dynamic):
                if not text.tame:
                    self.unknown_command()
                text = text.template.replace(HOLE, "0")
            self.work(len(text) + STEP)
            if text.isdigit():
                continue
            bracket = text.find("[")
            if bracket >= 0 and ("$" in text or "`" in text):
                waiting.append(self.expanded(text[bracket:]))
                text = text[:bracket]
            for name in set(_NAME.findall(text)) - seen:
                seen.add(name)
                value = self.variables.values.get(name)
                waiting += value if isinstance(value, list) else [] if value is None else [value]
