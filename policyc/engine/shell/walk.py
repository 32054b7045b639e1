"""Runs a line without running anything: every command that it can run, with what is known where it stands.

Where the line decides at run time, all branches are walked and what they disagree on is not known after.
"""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import ENVIRONMENT, UNKNOWN, Dynamic, Glob, Listing, tame
from policyc.engine.shell.loops import ANYTHING, FOLDER, JUMP, assigned_in
from policyc.engine.shell.parser import Parser
from policyc.engine.shell.scanner import MAX_DEPTH, Unparsable
from policyc.engine.shell.tree import (
    AndOr,
    Branches,
    Condition,
    Expression,
    Function,
    Loop,
    Node,
    Pipeline,
    Redirected,
    Sequence,
    Simple,
    Subshell,
    Word,
)
from policyc.engine.shell.variables import Variables
from policyc.engine.shell.written_files import MAX_PARSED, WrittenFiles

#: Commands that one line may turn out to run.
MAX_COMMANDS = 512
#: Nodes walked: loops over constants and functions walk theirs again.
MAX_STEPS = 8192
#: Loops over this many constants are walked once for each; over more, once for all.
MAX_TURNS = 16

#: Functions that bash calls by their name.
_CALLED_BY_BASH = frozenset(
    {"command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd"}
)
_COMPARISONS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NAMES = lazy_pattern(r"[^\s;&|()<>'\"`$={}]+")


def _calls_anything(command: SimpleCommand) -> bool:
    """Whether the command hands on all functions, or runs a file that may call any."""
    program = command.program
    if program in ("source", "."):
        return True
    if program == "set":
        return any(
            word is None or "a" in word for word in command.words[1:] if word is None or word[:1] == "-"
        )
    return program == "shopt" or command.code_unknown


class Walker(WrittenFiles):
    """``stdin`` is what the commands can read: text, not known, or None where nothing was redirected."""

    def __init__(self, variables: Variables) -> None:
        super().__init__(variables)
        self.functions: list[tuple[str, Node]] = []
        self.called: set[Node] = set()
        #: Functions and scripts that run, each with what it started from.
        self.active: dict[Node | str, tuple[int, list[str | Dynamic] | None]] = {}
        self.redirected_from: tuple[str | None, ...] = ()
        self.redirected_to: tuple[str | None, ...] = ()
        #: The dialect of a part that is for another kind of shell.
        self.foreign: str | None = None
        self.depth = 0
        self.in_function = 0
        self.steps = 0
        self.parsed = 0

    # Text and nodes --------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """The whole line. Raises Unparsable after walking what the shell would run before the fault."""
        self.parsed += len(text)
        parser = Parser(text)
        complete = False
        try:
            parser.parse()
            complete = True
        finally:
            self.run(Sequence(parser.items))
            if self.functions:
                self.uncalled(complete)

    def uncalled(self, complete: bool) -> None:
        """Functions that no command calls do not run, unless what cannot be seen may call them: an unknown
        command, a file, a rest of the line that does not parse, or a command with the name in its words.
        """
        seen = 0
        mentioned = set(_CALLED_BY_BASH)
        while True:
            for command in self.commands[seen:]:
                complete = complete and command.program is not None and not _calls_anything(command)
                for field in command.fields:
                    text = field if isinstance(field, str) else field.template
                    mentioned.update((text, *_NAMES.findall(text)))
            seen = len(self.commands)
            waiting = [
                (name, body)
                for name, body in self.functions
                if body not in self.called and (not complete or name in mentioned or not name)
            ]
            if not waiting:
                return
            for name, body in waiting:
                if body not in self.called:
                    self.call(name, body, None)

    def code(self, text: str, positional: list[str | Dynamic] | None = None) -> str | Dynamic:
        """Commands in a text, run in this shell."""
        self.parsed += len(text)
        if self.parsed > MAX_PARSED:
            raise Unparsable("too much text in nested commands")
        self.deeper()
        try:
            tree = Parser(text, self.depth).parse()
        except Unparsable:
            self.depth -= 1
            self.unknown_command()
            return UNKNOWN
        saved = self.variables.positional
        if positional is not None:
            self.variables.positional = positional
        output = self.run(tree)
        if positional is not None:
            self.variables.positional = saved
        self.depth -= 1
        return output

    def recurses(self, body: Node | str, arguments: list[str | Dynamic] | None) -> bool:
        """Whether a function or script runs itself: then it is not walked again. With the same arguments and
        variables it runs nothing that was not seen; with others, what it runs is not known."""
        started = self.active.get(body)
        if started is None:
            return False
        if started != (self.variables.changes, arguments):
            self.unknown_command()
        return True

    def unknown_command(self) -> None:
        """A command that cannot be known."""
        self.add(SimpleCommand(None, [UNKNOWN], self.variables.place))

    def add(self, command: SimpleCommand) -> None:
        if len(self.commands) >= MAX_COMMANDS:
            raise Unparsable(f"more than {MAX_COMMANDS} commands")
        self.commands.append(command)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unparsable(f"nested more than {MAX_DEPTH} deep")

    def run(self, node: Node) -> str | Dynamic:
        """Walks a node; answers what it prints."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Unparsable("the line runs too long")
        if isinstance(node, Simple):
            return self.simple(node)
        return _NODES[type(node)](self, node)

    def simple(self, node: Simple) -> str | Dynamic:
        raise NotImplementedError

    def call(self, name: str, body: Node, arguments: list[str | Dynamic] | None) -> str | Dynamic:
        raise NotImplementedError

    def expanded(self, text: str) -> str | Dynamic:
        self.steps += 1
        self.parsed += len(text)
        if self.steps > MAX_STEPS or self.parsed > MAX_PARSED:
            raise Unparsable("too much text in nested commands")
        self.deeper()
        try:
            word = Word(Parser(text, self.depth).heredoc_parts())
        except Unparsable:
            self.unknown_command()
            word = Word([])
        value = self.single(word)
        self.depth -= 1
        return value

    # Substitutions and subshells -------------------------------------------------------------------------

    def output_of(self, body: Sequence) -> str | Dynamic:
        items = body.items
        if len(items) == 1 and isinstance(items[0][0], Simple) and not items[0][0].words:
            self.isolated(body, self.stdin)
            redirects = items[0][0].redirects
            file = redirects[0] if len(redirects) == 1 and redirects[0].operator == "<" else None
            return self.written(self.target(file.target)) or UNKNOWN if file is not None else ""  # $(<file)
        return self.isolated(body, self.stdin)

    def feed(self, body: Sequence) -> None:
        self.isolated(body, UNKNOWN)

    def isolated(self, node: Node, stdin: str | Dynamic | None) -> str | Dynamic:
        """Runs in a subshell: what it sets is gone after."""
        outer, outer_stdin = self.variables, self.stdin
        self.variables = self.snapshot()
        self.stdin = stdin
        self.deeper()
        try:
            return self.run(node)
        finally:
            self.depth -= 1
            self.variables, self.stdin = outer, outer_stdin

    def snapshot(self, variables: Variables | None = None) -> Variables:
        """A copy of what is known here; copies of much count as work."""
        variables = variables or self.variables
        self.steps += len(variables.values) >> 3
        return variables.copy()

    # Compound commands -----------------------------------------------------------------------------------

    def maybe(self, node: Node) -> str | Dynamic:
        """Runs what the line may skip: a file that it writes again may keep what it had."""
        before, start = dict(self.files), len(self.commands)
        output = self.run(node)
        self.settle(before, start)
        return output

    def redirected(self, node: Redirected) -> str | Dynamic:
        outer = self.stdin, self.redirected_from, self.redirected_to
        reads, writes, into, appends = self.redirect(node.redirects)
        self.redirected_from += reads
        self.redirected_to += writes
        output = self.run(node.body)
        self.stdin, self.redirected_from, self.redirected_to = outer
        if into is None:
            return output
        self.store(into, output, appends)
        return ""

    def pipeline(self, node: Pipeline) -> str | Dynamic:
        starts = []
        output: str | Dynamic | None = self.stdin
        for stage in node.stages:
            starts.append(len(self.commands))
            output = self.isolated(stage, output)
        end = len(self.commands)
        reached: dict[str | None, None] = {}
        for start in reversed(starts):
            names = tuple(reached)
            for command in self.commands[start:end]:
                command.pipes_to += names
            reached.update(
                dict.fromkeys(
                    command.program for command in self.commands[start:end] if not command.input_is_data
                )
            )
            end = start
        return UNKNOWN if output is None else output

    def and_or(self, node: AndOr) -> str | Dynamic:
        output = self.run(node.first)
        files, start = dict(self.files), len(self.commands)
        skipped = []
        for operator, following in node.rest:
            before = self.snapshot()
            if operator == "||":
                output = _joined(output, self.maybe(following), False)
                self.variables.join(before)
            else:
                output = _joined(output, self.run(following), True)
                skipped.append(before)
        for before in skipped:
            self.variables.join(before)
        self.settle(files, start)
        return output

    def sequence(self, node: Sequence) -> str | Dynamic:
        output: str | Dynamic = ""
        for item, background in node.items:
            output = _joined(output, self.isolated(item, self.stdin) if background else self.run(item), True)
        return output

    def subshell(self, node: Subshell) -> str | Dynamic:
        return self.isolated(node.body, self.stdin)

    def branches(self, node: Branches) -> str | Dynamic:
        output = self.run(node.head)
        start = self.variables
        ends = [] if node.exhaustive else [self.snapshot(start)]
        outputs: list[str | Dynamic] = []
        for arm in node.arms:
            self.variables = self.snapshot(start)
            outputs.append(self.maybe(arm))
            ends.append(self.variables)
        self.variables = ends[0] if ends else start
        for end in ends[1:]:
            self.variables.join(end)
        return output if all(text == "" for text in outputs) else UNKNOWN

    def loop(self, node: Loop) -> str | Dynamic:
        values = self.turns(node)
        before = self.snapshot()
        sets = assigned_in(node, self.variables.functions)
        known = (
            values is not None
            and len(values) <= MAX_TURNS
            and not any(isinstance(one, Dynamic) for one in values)
        )
        if values is not None and known:
            output: str | Dynamic = ""
            for value in values:
                if JUMP in sets:  # an earlier turn may have ended anywhere
                    self.blur({name: sets[name] for name in sets if name != node.name})
                self.variables.set(node.name or "", value)
                output = _joined(output, self.run(node.body), True)
        else:
            output = UNKNOWN
            self.blur(sets)
            if values is not None:
                self.variables.set(node.name or "", ENVIRONMENT if tame(values) else UNKNOWN)
            if node.head is not None:
                self.run(node.head)
            self.maybe(node.body)
            self.variables.join(before)
        if JUMP in sets:
            self.blur(sets)
        return output

    def blur(self, names: dict[str, bool]) -> None:
        """What ``assigned_in`` found is not known from here on."""
        for name, stays_tame in names.items():
            if name == ANYTHING:
                self.variables.forget()
            elif name == FOLDER:
                self.variables.go(None)
            elif name != JUMP:
                known = stays_tame and tame(self.variables.values.get(name))
                self.variables.set(name, ENVIRONMENT if known else UNKNOWN)

    def turns(self, node: Loop) -> list[str | Dynamic] | None:
        """The values that the loop's name takes; None where it has none."""
        if node.name is None:
            return None
        if node.words is None:
            positional = self.variables.positional
            return [UNKNOWN] if positional is None else positional
        values: list[str | Dynamic] = []
        for value in self.fields(node.words):
            values += [Glob(item) for item in value.items] if isinstance(value, Listing) else [value]
        return values

    def define(self, node: Function) -> str | Dynamic:
        self.functions.append((node.name, node.body))
        self.variables.define(node.name, node.body)
        return ""

    def expression(self, node: Expression) -> str | Dynamic:
        for word in node.words:
            self.single(word)
        return ""

    def condition(self, node: Condition) -> str | Dynamic:
        """``[[ ... ]]``: comparisons of numbers, and ``-v``, read arithmetic."""
        values = [self.single(word) for word in node.words]
        for at, operator in enumerate(node.words):
            if operator in _COMPARISONS:
                for value in values[max(at - 1, 0) : at + 2 : 2]:
                    self.evaluate(value)
            elif operator == "-v":
                for value in values[at + 1 : at + 2]:
                    self.evaluate(value)
        return ""


def _joined(before: str | Dynamic, after: str | Dynamic, both: bool) -> str | Dynamic:
    """The output of two commands one after another, or of one of them where not ``both``."""
    if before == "" and both:
        return after
    if after == "":
        return before
    return before + after if isinstance(before, str) and isinstance(after, str) and both else UNKNOWN


_NODES: dict[type, Callable[..., "str | Dynamic"]] = {
    Redirected: Walker.redirected,
    Pipeline: Walker.pipeline,
    AndOr: Walker.and_or,
    Sequence: Walker.sequence,
    Subshell: Walker.subshell,
    Branches: Walker.branches,
    Loop: Walker.loop,
    Function: Walker.define,
    Expression: Walker.expression,
    Condition: Walker.condition,
}
