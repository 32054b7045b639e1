"""The facts of a command line, as clauses ask for them."""

from __future__ import annotations

from policyc.engine.path_globs import Subject
from policyc.engine.shell.effects import Effects, effects_of
from policyc.engine.shell.fields import Dynamic
from policyc.engine.shell.options import Arguments, parse
from policyc.engine.shell.variables import Place


class SimpleCommand:
    """One command that the line can run, after unwrapping.

    ``program`` is the basename, None where it cannot be known. ``words`` is the argument list, with None for
    a word that cannot be known. ``pipes_to`` names the programs its output reaches, ``code`` is what an
    interpreter is given as (language, text). ``dynamic`` says what cannot be known: ``program``, ``operand``,
    ``flag``, ``code``, ``path``.
    """

    __slots__ = (
        "_arguments",
        "_effects",
        "code",
        "code_unknown",
        "deleted",
        "fields",
        "input_is_data",
        "pipes_to",
        "place",
        "program",
        "redirected_from",
        "redirected_to",
    )

    def __init__(
        self,
        program: str | None,
        fields: list[str | Dynamic],
        place: Place,
        redirected_from: tuple[str | None, ...] = (),
        redirected_to: tuple[str | None, ...] = (),
    ) -> None:
        self.program = program
        self.fields = fields
        self.place = place
        self.redirected_from = redirected_from
        self.redirected_to = redirected_to
        self.pipes_to: tuple[str | None, ...] = ()
        self.code: tuple[tuple[str, str], ...] = ()
        self.code_unknown = False
        #: A shell whose code is known and comes from elsewhere: what is piped into it is none.
        self.input_is_data = False
        self.deleted: tuple[str | None, ...] = ()
        self._arguments: Arguments | None = None
        self._effects: Effects | None = None

    @property
    def words(self) -> tuple[str | None, ...]:
        return tuple(field if isinstance(field, str) else None for field in self.fields)

    @property
    def arguments(self) -> Arguments:
        """Flags, operands and the values of flags."""
        if self._arguments is None:
            self._arguments = parse(self.program or "", self.fields[1:])
        return self._arguments

    @arguments.setter
    def arguments(self, arguments: Arguments) -> None:
        self._arguments = arguments

    @property
    def flags(self) -> frozenset[str]:
        """Every spelling of every flag: ``-rf`` gives ``-r``, ``-f``, ``--recursive``, ``--force``."""
        return frozenset(self.arguments.flags)

    @property
    def operands(self) -> tuple[str | None, ...]:
        """The words that are neither the program, a flag nor a flag's value."""
        return tuple(field if isinstance(field, str) else None for field in self.arguments.operands)

    @property
    def args(self) -> tuple[str | None, ...]:
        """The leading non-option words: ``("stash", "drop")``. The same as the operands before ``--``."""
        return (
            self.operands if self.arguments.separator is None else self.operands[: self.arguments.separator]
        )

    @property
    def effects(self) -> Effects:
        if self._effects is None:
            found = effects_of(self.program, self.arguments, self.place)
            found.reads += self.redirected_from
            found.writes += self.redirected_to
            found.deletes += self.deleted
            self._effects = found
        return self._effects

    @property
    def reads(self) -> tuple[str | None, ...]:
        """Paths it reads, in normal form; None stands for one that cannot be known."""
        return self.effects.reads

    @property
    def writes(self) -> tuple[str | None, ...]:
        """Paths it creates or changes."""
        return self.effects.writes

    @property
    def deletes(self) -> tuple[str | None, ...]:
        """Paths it removes or destroys."""
        return self.effects.deletes

    @property
    def dynamic(self) -> tuple[str, ...]:
        if self.program is None:
            return ("program",)
        reasons = []
        if any(isinstance(field, Dynamic) for field in self.fields):
            reasons.append("operand")
        if self.arguments.hidden_flag:
            reasons.append("flag")
        if self.code_unknown:
            reasons.append("code")
        if None in self.reads or None in self.writes or None in self.deletes:
            reasons.append("path")
        return tuple(reasons)

    def __repr__(self) -> str:
        shown = ["?" if word is None else word for word in self.words]
        return f"<{self.program or '?'}: {' '.join(shown)}>"


class Facts:
    """``commands`` are all that the line can run, in order. ``unknown`` says why there may be more."""

    __slots__ = ("commands", "dialect", "place", "programs", "subjects", "unknown")

    def __init__(
        self, commands: tuple[SimpleCommand, ...], unknown: str | None, dialect: str, place: Place
    ) -> None:
        self.commands = commands
        self.unknown = unknown
        self.dialect = dialect
        self.place = place
        #: Paths made ready for globs, shared by the clauses that ask about this line.
        self.subjects: dict[str, Subject] = {}
        #: The programs of all commands, or None where one is not known: most clauses are about another.
        self.programs = _programs(commands)


def _programs(commands: tuple[SimpleCommand, ...]) -> frozenset[str] | None:
    names = [command.program for command in commands]
    known = [name for name in names if type(name) is str]
    return frozenset(known) if len(known) == len(names) else None
