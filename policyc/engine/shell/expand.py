"""Words to fields: the expansions of the Bash Reference Manual, 3.5, over what is known at this place."""

from __future__ import annotations

import re

from policyc.engine.file_paths import is_darwin
from policyc.engine.patterns import lazy_pattern
from policyc.engine.remembered import remembered
from policyc.engine.shell.arithmetic import Evaluator, assigned
from policyc.engine.shell.braces import expand_braces, has_braces
from policyc.engine.shell.fields import (
    ENVIRONMENT,
    NUMBER,
    NUMBERS,
    UNKNOWN,
    UNSET,
    Dynamic,
    Glob,
    SetUp,
    Stream,
    tame,
)
from policyc.engine.shell.parameters import NO_ARGUMENT, apply
from policyc.engine.shell.tree import (
    Arithmetic,
    Literal,
    Parameter,
    Part,
    Process,
    Sequence,
    Substitution,
    Word,
)
from policyc.engine.shell.variables import TEMPORARY

_BLANKS = " \t\n"
_TILDE = lazy_pattern(r"~(\+|-|[A-Za-z0-9_.\-]*)(?=/|\Z)")
_TEMPORARY = lazy_pattern(r"/(?:private/)?(?:var/)?tmp(?:/[\w.\-]*)?/?")
#: What may not come after ``$TMPDIR`` where that is empty: all of the disk, or a folder of the system.
_AT_ROOT = lazy_pattern(
    r"/+(?:\Z|[^/]*[*?\[{]|\.|(?:[a-z]?bin|boot|dev|etc|home|lib\w*|mnt|opt|proc|root|run|srv|sys|usr|var|Users|"
    r"System|Library|Applications|Volumes|private)(?:/|\Z))"
)
#: A character by its number, in a prompt.
_OCTAL = lazy_pattern(r"\\[0-7]")
#: ``$TMPDIR`` in a word: surely set, may be empty, may be empty but is a word of its own all the same.
_SET, _MAYBE_EMPTY, _AS_A_WORD = 1, 2, 3
_ALL = ("@", "*")


def is_pattern(text: str) -> bool:
    """Whether unquoted text stands for the names of files."""
    return "*" in text or "?" in text or ("[" in text and text.rfind("]") > text.find("[") + 1)


class Expander(Evaluator):
    """Expands words; the walker says how substitutions run."""

    def output_of(self, body: Sequence) -> str | Dynamic:
        raise NotImplementedError

    def feed(self, body: Sequence) -> None:
        raise NotImplementedError

    def fields(self, words: list[str | Word]) -> list[str | Dynamic]:
        """Every field of every word."""
        fields: list[str | Dynamic] = []
        for word in words:
            if isinstance(word, str):
                fields.append(word)
            elif has_braces(word.parts):
                for parts in expand_braces(word.parts):
                    fields += self.assemble(parts, True)
            else:
                fields += self.assemble(word.parts, True)
        return fields

    def single(self, word: str | Word) -> str | Dynamic:
        """The word as one field: no splitting, no patterns (assignments, heredocs, ``[[``)."""
        if isinstance(word, str):
            return word
        fields = self.assemble(word.parts, False)
        return fields[0] if fields else ""

    def target(self, word: str | Word) -> str | Dynamic:
        """The word as a redirect's file."""
        if isinstance(word, str):
            return word
        fields = self.fields([word])
        return fields[0] if len(fields) == 1 else UNKNOWN

    def assemble(self, parts: list[Part], splitting: bool) -> list[str | Dynamic]:
        builder = _Builder()
        for part in parts:
            if isinstance(part, Literal):
                self.literal(part, builder, splitting)
            elif isinstance(part, Parameter):
                self.parameter(part, builder, splitting)
            elif isinstance(part, Substitution):
                output = self.output_of(part.body)
                self.insert(
                    output.rstrip("\n") if isinstance(output, str) else output,
                    builder,
                    splitting and not part.quoted,
                )
            elif isinstance(part, Process):
                self.process(part, builder)
            elif isinstance(part, Arithmetic):
                text = part.text.strip()
                if text.isdigit():
                    builder.add(text)
                else:
                    self.arithmetic(part)
                    builder.obscure(NUMBER)
        fields = builder.close()
        self.work(sum(len(field) for field in fields if isinstance(field, str)) + 1)
        return fields

    def arithmetic(self, part: Arithmetic) -> None:
        self.evaluate(self.single(Word(part.parts)))
        for name in assigned(part.text):
            self.variables.set(name, NUMBER)

    def literal(self, part: Literal, builder: _Builder, splitting: bool) -> None:
        text = part.text
        if part.quoted:
            builder.add(text)
            return
        if text.startswith("~") and not builder.started:
            match = _TILDE.match(text)
            if match is not None:
                builder.add(self.tilde(match.group(1)))
                text = text[match.end() :]
        builder.add(text, splitting and is_pattern(text))

    def tilde(self, name: str) -> str:
        if name == "":
            home = self.variables.get("HOME")
            return home if isinstance(home, str) else "~"
        if name == "+":
            return self.variables.cwd or "~+"
        return "~" + name

    def process(self, part: Process, builder: _Builder) -> None:
        if part.writes:
            self.feed(part.body)
            builder.stream(Stream(""))
        else:
            builder.stream(Stream(self.output_of(part.body)))

    def parameter(self, part: Parameter, builder: _Builder, splitting: bool) -> None:
        splits = splitting and not part.quoted
        if part.name is None:
            if part.argument is not None:
                self.single(part.argument)
            builder.obscure(Dynamic("", splitting))
            return
        every = part.subscript if part.subscript is not None else part.name
        value = self.value(part.name, part.subscript)
        if part.argument is None and part.operator and every in _ALL:
            indexed = part.operator == "#" or not self.variables.associative(part.name)
            builder.obscure(NUMBERS if indexed else UNKNOWN, part.operator != "#" and splitting)
            return
        if isinstance(value, list):
            if part.operator == "" and part.argument is None:
                self.several(value, every == "*", part.quoted, builder, splitting)
                return
            value = value[0] if len(value) == 1 and every not in _ALL else UNKNOWN
        if part.operator == "!" and part.argument is None:
            self.insert(self.indirect(value), builder, splits)
            return
        if isinstance(value, Dynamic) and splitting and every in _ALL:
            builder.obscure(value, True)  # any number of words, quoted or not
            return
        argument = part.argument
        if part.operator == "@":
            self.transform(value, argument)
        if part.name == "TMPDIR" and value is TEMPORARY and "TMPDIR" not in self.variables.values:
            found = self.temporary(part, builder, splitting)
            if part.operator in (":=", "="):
                self.variables.set("TMPDIR", found)
            self.insert(found, builder, splits)
            return
        found = apply(
            part.operator, value, NO_ARGUMENT if argument is None else lambda: self.argument(part, argument)
        )
        if part.operator in (":=", "=") and part.name.isidentifier():
            self.variables.set(part.name, found)
        self.insert(found, builder, splits)

    def temporary(self, part: Parameter, builder: _Builder, splitting: bool) -> str | Dynamic:
        """``$TMPDIR`` of the environment, which may have none: then a default stands in its place."""
        default = "" if part.argument is None else self.single(part.argument)
        if builder.started:
            return UNKNOWN
        builder.temporary = _SET
        if part.operator in (":-", ":="):
            return TEMPORARY if isinstance(default, str) and _TEMPORARY.fullmatch(default) else UNKNOWN
        if part.operator == ":?" or (not part.operator and is_darwin(self.variables.os)):
            return TEMPORARY  # macOS gives every session one
        builder.temporary = _AS_A_WORD if part.quoted and splitting else _MAYBE_EMPTY
        return UNKNOWN if part.operator else TEMPORARY

    def argument(self, part: Parameter, word: Word) -> str | Dynamic:
        text = self.single(word)
        if part.operator == ":":
            self.evaluate(text)
        return text

    def transform(self, value: str | Dynamic, argument: Word | None) -> None:
        """``${name@P}`` expands the value as a prompt."""
        if argument is not None and self.single(argument) == "P":
            self.prompt(value)

    def prompt(self, value: str | Dynamic) -> None:
        if isinstance(value, Dynamic):
            self.expanded(value.template)
            self.unknown_command()
        elif _OCTAL.search(value):  # it may stand for a dollar
            self.unknown_command()
        else:
            self.expanded(value)

    def indirect(self, name: str | Dynamic) -> str | Dynamic:
        """``${!name}``: the value of the parameter that the value names."""
        self.evaluate(name)
        if isinstance(name, Dynamic):
            return ENVIRONMENT if name.tame else UNKNOWN
        if name in ("", *_ALL) or "[" in name:
            return UNKNOWN
        value = self.value(name, None)
        return UNKNOWN if isinstance(value, list) else value

    def value(self, name: str, subscript: str | Word | None) -> str | Dynamic | list[str | Dynamic]:
        value = self.variables.get(name)
        if subscript is None:
            return value if not isinstance(value, list) or name in _ALL else (value[0] if value else UNSET)
        if subscript in _ALL:
            return value
        index = self.index(name, subscript)
        if isinstance(value, list) and isinstance(index, str) and index.isdigit():
            return value[int(index)] if len(index) < 6 and int(index) < len(value) else UNSET
        if index == "0" and not isinstance(value, list):
            return value
        return ENVIRONMENT if tame(value) else UNKNOWN

    def index(self, name: str, subscript: str | Word) -> str | Dynamic:
        """A subscript is arithmetic, but that of an associative array."""
        index = self.single(subscript)
        if not self.variables.associative(name):
            self.evaluate(index)
        return index

    def several(
        self, values: list[str | Dynamic], joined: bool, quoted: bool, builder: _Builder, splitting: bool
    ) -> None:
        if (joined and quoted) or not splitting:
            for number, value in enumerate(values):
                if number:
                    builder.add(" ")
                self.insert(value, builder, False)
            return
        for number, value in enumerate(values):
            if number:
                builder.end()
            self.insert(value, builder, not quoted)

    def insert(self, value: str | Dynamic, builder: _Builder, splits: bool) -> None:
        """Adds a value, split at IFS where ``splits``."""
        self.work(len(value) if isinstance(value, str) else 1)
        if isinstance(value, Dynamic):
            builder.obscure(value, splits)
            return
        if not splits:
            builder.add(value, isinstance(value, Glob))
            return
        separators = self.variables.get("IFS")
        if not isinstance(separators, str):
            builder.obscure(UNKNOWN)
            return
        if not separators:
            builder.add(value, is_pattern(value))
            return
        # Pieces and separators in turn. An empty piece at either end only says where the text breaks off;
        # one that a visible separator ends is an empty field (3.5.7).
        pieces = re.split(_separator(separators), value)
        for at in range(0, len(pieces), 2):
            if at:
                builder.end()
            piece = pieces[at]
            ends_visibly = at + 1 < len(pieces) and not pieces[at + 1].isspace()
            if piece or ends_visibly:
                builder.add(piece, is_pattern(piece))


@remembered(64)
def _separator(separators: str) -> re.Pattern[str]:
    """A field separator for this IFS: one that is no blank, with blanks around it, or blanks."""
    blank = f"[{re.escape(''.join(char for char in separators if char in _BLANKS))}]"
    visible = f"[{re.escape(''.join(char for char in separators if char not in _BLANKS))}]"
    if visible == "[]":
        return re.compile(f"({blank}+)")
    if blank == "[]":
        return re.compile(f"({visible})")
    return re.compile(f"({blank}*{visible}{blank}*|{blank}+)")


class _Builder:
    """Fields under construction, left to right."""

    __slots__ = (
        "done",
        "glob",
        "hidden",
        "only",
        "opened",
        "splits",
        "started",
        "tame",
        "temporary",
        "texts",
    )

    def __init__(self) -> None:
        self.done: list[str | Dynamic] = []
        self.texts: list[str] = []
        self.started = False
        self.glob = False
        self.temporary = 0
        self.hidden: str | None = None
        self.splits = False
        self.tame = True
        self.only: SetUp | None = None
        self.opened: Stream | None = None

    def add(self, text: str, glob: bool = False) -> None:
        self.started = True
        self.texts.append(text)
        self.glob = self.glob or glob

    def stream(self, stream: Stream) -> None:
        self.opened = stream
        self.add(stream)

    def obscure(self, value: Dynamic, splits: bool | None = None) -> None:
        self.started = True
        if self.hidden is None:
            self.hidden = "".join(self.texts) + value.leading
        self.texts.append(value.template)
        self.tame = self.tame and value.tame
        if isinstance(value, SetUp):
            self.only = value
        self.splits = self.splits or (value.splits if splits is None else splits and value is not NUMBER)

    def end(self) -> None:
        """The field is complete; one that never began is none."""
        if self.started:
            if self.temporary:
                self.done.append(self.below_temporary("".join(self.texts)))
            elif self.hidden is not None:
                self.done.append(
                    self.only
                    if self.only is not None and len(self.texts) == 1
                    else Dynamic(self.hidden, self.splits, "".join(self.texts), self.tame)
                )
            elif self.opened is not None and len(self.texts) == 1:
                self.done.append(self.opened)
            else:
                self.done.append(self.constant("".join(self.texts)))
        self.texts = []
        self.started = self.glob = self.splits = False
        self.tame = True
        self.temporary = 0
        self.hidden = self.opened = self.only = None

    def constant(self, text: str) -> str | Dynamic:
        if text.startswith(TEMPORARY) and "/.." in text:
            return Dynamic("", False, text)  # how deep that folder is cannot be known
        return Glob(text) if self.glob else text

    def below_temporary(self, text: str) -> str | Dynamic:
        """A word that begins with ``$TMPDIR``: not known where it may leave the folder, or be at the root."""
        rest = text[len(TEMPORARY) :]
        if self.temporary == _SET:
            known = rest[:1] in ("", "/")
        elif rest == "":
            known = self.temporary == _AS_A_WORD
        else:
            known = rest[0] == "/" and _AT_ROOT.match(rest) is None
        if known and self.hidden is None and "/.." not in rest:
            return Glob(text) if self.glob else text
        return Dynamic("", True, text)

    def close(self) -> list[str | Dynamic]:
        self.end()
        return self.done
