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
    text with ``HOLE``, an expansion that is not known, in place of what is hidden.
    """

    __slots__ = ("leading", "splits", "template")

    def __init__(self, leading: str = "", splits: bool = False, template: str | None = None) -> None:
        self.leading = leading
        self.splits = splits
        self.template = HOLE if template is None else template

    @property
    def may_be_flag(self) -> bool:
        return self.splits or not self.leading or self.leading[0] == "-"


class Listing(Dynamic):
    """Output that is not known but lists files that match ``items``."""

    __slots__ = ("items",)

    def __init__(self, items: list[str]) -> None:
        super().__init__("", True)
        self.items = items


class Stream(str):
    """The file name of a process substitution; ``text`` is what can be read from it."""

    __slots__ = ("text",)
    text: str | Dynamic

    def __new__(cls, text: str | Dynamic) -> Stream:
        stream = super().__new__(cls, "/dev/fd/63")
        stream.text = text
        return stream


UNKNOWN = Dynamic("", True)
#: Some number: never a flag, never split.
NUMBER = Dynamic("0", False)


def constant(field: str | Dynamic) -> str | None:
    """The text of a field, or None where it is not known."""
    return field if isinstance(field, str) else None
