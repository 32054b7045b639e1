"""What words become: constant text (``str``), a pathname pattern (``Glob``) or not known (``Dynamic``)."""

from __future__ import annotations


class Glob(str):
    """Text with an unquoted ``*``, ``?`` or ``[``: the names it stands for depend on the disk.

    Where policyc itself makes one (``find``), ``**`` stands for any run of folders.
    """

    __slots__ = ()


class Tree(str):
    """A folder that is meant with all that is in it."""

    __slots__ = ()


#: Reads as an expansion when the text turns out to be code.
HOLE = "${0}"


class Dynamic:
    """Text that cannot be known.

    ``leading`` is how it surely starts; ``splits``: it may be several words, or none; ``template`` is its
    text with ``HOLE``, an expansion that is not known, in place of what is hidden. Where it is ``tame``, what
    is hidden runs nothing in arithmetic: it is a number, or what the environment holds.
    """

    __slots__ = ("leading", "splits", "tame", "template")

    def __init__(
        self, leading: str = "", splits: bool = False, template: str | None = None, tame: bool = False
    ) -> None:
        self.leading = leading
        self.splits = splits
        self.template = HOLE if template is None else template
        self.tame = tame

    @property
    def may_be_flag(self) -> bool:
        return self.splits or not self.leading or self.leading[0] == "-"


class Listing(Dynamic):
    """Output that is not known but lists files that match ``items``."""

    __slots__ = ("items",)

    def __init__(self, items: list[str]) -> None:
        super().__init__("", True)
        self.items = items


class SetUp(Dynamic):
    """The output of a program that prints, for the shell to run, what sets it up."""

    __slots__ = ()


class Stream(str):
    """The file name of a process substitution; ``text`` is what can be read from it."""

    __slots__ = ("text",)
    text: str | Dynamic

    def __new__(cls, text: str | Dynamic) -> Stream:
        stream = super().__new__(cls, "/dev/fd/63")
        stream.text = text
        return stream


UNKNOWN = Dynamic("", True)
#: What the environment holds, where the line set nothing.
ENVIRONMENT = Dynamic("", True, tame=True)
#: Some number: never a flag, never split.
NUMBER = Dynamic("0", False, tame=True)
#: Any count of numbers.
NUMBERS = Dynamic("0", True, tame=True)


class _Unset(str):
    """Empty text that ``${x-default}`` takes for none."""

    __slots__ = ()


UNSET = _Unset("")


def tame(value: str | Dynamic | list[str | Dynamic] | None) -> bool:
    """Whether the value (None: of the environment) runs nothing where arithmetic reads it."""
    if isinstance(value, list):
        return all(map(tame, value))
    return value is None or ("[" not in value if isinstance(value, str) else value.tame)


def constant(field: str | Dynamic) -> str | None:
    """The text of a field, or None where it is not known."""
    return field if isinstance(field, str) else None
