"""Simple commands: which program runs, past functions and wrappers, and what it runs in turn."""

from __future__ import annotations

from policyc.engine.file_paths import is_darwin, is_windows
from policyc.engine.remembered import remembered
from policyc.engine.shell.assignments import assign, element
from policyc.engine.shell.braces import has_braces
from policyc.engine.shell.declarations import DECLARING, assigns
from policyc.engine.shell.dialects import dialect_of_command, shell_of
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import ENVIRONMENT, HOLE, UNKNOWN, Dynamic, Glob, tame
from policyc.engine.shell.interpreters import Language, is_shell, language_of
from policyc.engine.shell.loops import JUMP, assigned_in
from policyc.engine.shell.options import parse, table
from policyc.engine.shell.outputs import kind_of_output, output_of
from policyc.engine.shell.programs import PROJECTS, handler, names
from policyc.engine.shell.running_api import Running
from policyc.engine.shell.tree import Assignment, Node, Simple, Word
from policyc.engine.shell.wrappers_table import CONTAINERS, RUNNERS, WRAPPERS, Wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from policyc.engine.shell.programs import Handler


class Shell(Running):
    """A walker that knows programs."""

    def simple(self, node: Simple) -> str | Dynamic:
        start = len(self.commands)
        declares = bool(node.words) and node.words[0] in DECLARING
        fields = self.declared(node) if declares else self.fields(node.words)
        if not node.assignments and not node.redirects:
            middle = len(self.commands)
            output = self.run_fields(fields, (), ()) if fields else ""
            self.connect(start, middle)
            return output
        outer_stdin = self.stdin
        reads, writes, into, appends = self.redirect(node.redirects)
        before = {
            assignment.name: self.variables.values.get(assignment.name) for assignment in node.assignments
        }
        exported = self.variables.exported
        if fields and not declares:
            self.variables.exported |= set(before)
        for assignment in () if declares else node.assignments:
            self.assign(assignment)
        middle = len(self.commands)
        output = self.run_fields(fields, reads, writes)
        for assignment in node.assignments if declares else ():
            self.assign(assignment)
        self.connect(start, middle)
        if fields and node.words[0] not in _KEEPING:
            self.forget_assignments(before, exported)
        if fields != ["exec"]:  # which redirects the shell itself
            self.stdin = outer_stdin
        if into is None:
            return output
        self.store(into, output, appends)
        return ""

    def declared(self, node: Simple) -> list[str | Dynamic]:
        """The fields of ``declare`` and its like: an assignment among them is one word, whatever it holds."""
        fields: list[str | Dynamic] = []
        for word in node.words:
            if isinstance(word, Word) and assigns(word) and not has_braces(word.parts):
                fields.append(self.single(word))
            else:
                fields += self.fields([word])
        return fields + [assignment.name for assignment in node.assignments]

    def forget_assignments(
        self, before: dict[str, str | Dynamic | list[str | Dynamic] | None], exported: frozenset[str]
    ) -> None:
        """Assignments before a command hold while it runs."""
        values = self.variables.values
        for name, value in before.items():
            if value is not None:
                self.variables.set(name, value)
            elif name in values:
                del values[name]
        self.variables.exported = exported

    def run_fields(
        self, fields: list[str | Dynamic], reads: tuple[str | None, ...], writes: tuple[str | None, ...]
    ) -> str | Dynamic:
        """A function where the name is one, a program where it may be one: wrappers run programs only."""
        name = fields[0] if fields else None
        bodies = self.variables.functions.get(name) if isinstance(name, str) else None
        if bodies is None:
            if name is not None and (isinstance(name, Dynamic) or _may_be_apart(name)):
                return self.apart(fields, reads, writes)
            return self.dispatch(fields, reads, writes)
        outer = self.redirected_from, self.redirected_to
        self.redirected_from += reads
        self.redirected_to += writes
        outputs = [
            self.dispatch(fields) if body is None else self.call(str(name), body, fields[1:])
            for body in bodies
        ]
        self.redirected_from, self.redirected_to = outer
        return outputs[0] if len(outputs) == 1 else UNKNOWN

    def apart(
        self, fields: list[str | Dynamic], reads: tuple[str | None, ...], writes: tuple[str | None, ...]
    ) -> str | Dynamic:
        """Programs that run programs: ``env cd x``, ``/usr/bin/cd x`` and, where names ignore case, ``CD x``
        leave this shell as it was."""
        name = fields[0]
        if isinstance(name, Dynamic):  # `$SUDO cd x`: it may be nothing
            outer, self.variables = self.variables, self.variables.copy()
            output = self.dispatch(fields, reads, writes)
            outer.join(self.variables)
            self.variables = outer
            return output
        if name[:1] == "!" and name[1:2].isalpha():  # `! name`, as some shells have it
            return self.run_fields([name[1:], *fields[1:]], reads, writes)
        program = self.program_of(name)
        if name not in _APART and (program == name or program not in _BUILTINS):
            return self.dispatch(fields, reads, writes)
        outer, self.variables = self.variables, self.variables.copy()
        output = self.dispatch(fields, reads, writes)
        self.variables = outer
        return output

    def connect(self, start: int, middle: int) -> None:
        """What substitutions print reaches the interpreters that they are arguments or input of."""
        if start == middle:
            return
        takers = {command.program: None for command in self.commands[middle:] if _takes_code(command.program)}
        for command in self.commands[start:middle]:
            command.pipes_to += tuple(takers)

    def assign(self, assignment: Assignment) -> None:
        value: str | Dynamic | list[str | Dynamic]
        if isinstance(assignment.value, list):
            value = self.elements(assignment.name, self.fields(assignment.value))
        else:
            value = self.single(assignment.value)
        if assignment.subscript is not None:
            subscript = self.single(assignment.subscript)
            element(self, assignment.name, subscript, UNKNOWN if isinstance(value, list) else value)
            return
        if assignment.append:
            before = self.variables.get(assignment.name)
            if isinstance(before, list) and isinstance(value, list):
                value = before + value
            else:
                known = isinstance(before, str) and isinstance(value, str)
                hidden = ENVIRONMENT if tame(before) and tame(value) else UNKNOWN
                value = before + value if known else hidden  # type: ignore[operator]
        assign(self, assignment.name, value)

    def elements(self, name: str, fields: list[str | Dynamic]) -> str | Dynamic | list[str | Dynamic]:
        """The values of an array; those of one with ``[subscript]=value`` in it are not followed."""
        subscripts = [
            text.partition("=")[0][1:].rstrip("+").rstrip("]")
            for text in (field if isinstance(field, str) else field.template for field in fields)
            if text[:1] == "[" and "]" in text
        ]
        if not subscripts:
            return fields
        if not self.variables.associative(name):
            for subscript in subscripts:
                self.evaluate(subscript)
        values = [field.partition("=")[2] if isinstance(field, str) else field for field in fields]
        return ENVIRONMENT if tame([*values]) else UNKNOWN

    def dispatch(
        self,
        fields: list[str | Dynamic],
        reads: tuple[str | None, ...] = (),
        writes: tuple[str | None, ...] = (),
    ) -> str | Dynamic:
        """Runs one argument list; answers what it prints."""
        if not fields:
            if reads or writes or self.redirected_to:
                self.add(self.command(":", [":"], reads, writes))
            return ""
        self.deeper()
        output = self.start(fields, reads, writes)
        self.depth -= 1
        return output

    def start(
        self, fields: list[str | Dynamic], reads: tuple[str | None, ...], writes: tuple[str | None, ...]
    ) -> str | Dynamic:
        first = fields[0]
        program = self.program_of(first)
        command = self.command(program, fields, reads, writes)
        if program is None:
            self.add(command)
            if isinstance(first, Dynamic) and first.splits and first.template == HOLE:
                self.maybe_prefixed(fields[1:], reads, writes)
            return UNKNOWN
        return self.launch(program, command)

    def maybe_prefixed(
        self, rest: list[str | Dynamic], reads: tuple[str | None, ...], writes: tuple[str | None, ...]
    ) -> None:
        """``$SUDO rm x``: where the variable is empty or a wrapper, the rest is a command."""
        if rest and isinstance(rest[0], str) and rest[0][:1] not in ("-", ""):
            self.dispatch(rest, reads, writes)

    def launch(self, program: str, command: SimpleCommand) -> str | Dynamic:
        if self.made_here(command):
            return UNKNOWN
        handler = _handler(program)
        if handler is not None:
            output = handler(self, command)
            return kind_of_output(program, command.fields, self.stdin) if output is UNKNOWN else output
        fields = command.fields
        wrapper = WRAPPERS.get(program)
        if wrapper is None and program in _RUNNING and len(fields) > 1:
            wrapper, fields = _runner(program, fields)
        if wrapper is not None:
            inner = wrapper.inner(fields)
            if not inner or not wrapper.silent:
                self.add(command)
            command.arguments = parse(program, command.fields[1 : len(command.fields) - len(inner)])
            if program in _MOUNTING:
                from policyc.engine.shell.containers import run_inside

                return run_inside(self, command, inner)
            self.project(command)
            if not inner:
                return output_of(program, fields, self.stdin)
            return self.dispatch(inner, command.redirected_from, command.redirected_to)
        self.add(command)
        self.foreign = self.foreign or dialect_of_command(program, fields)
        if "/" in str(fields[0]):
            from policyc.engine.shell.scripts import run_file

            run_file(self, fields[0], fields[1:])
        self.project(command)
        return output_of(program, fields, self.stdin)

    def project(self, command: SimpleCommand) -> None:
        if command.program in _PROJECTS:
            from policyc.engine.shell.projects import look

            look(self, command)

    def made_here(self, command: SimpleCommand) -> bool:
        """Whether the program is a file that the line itself put there, whatever it is called."""
        name = str(command.fields[0])
        path = name if "/" in name else self.on_search_path(name)
        if path is None:
            return False
        from policyc.engine.shell.projects import placed

        if placed(self, path) is None:
            return False
        from policyc.engine.shell.scripts import run_file

        self.add(command)
        run_file(self, path, command.fields[1:], command=command)
        return True

    def on_search_path(self, name: str) -> str | None:
        """The file that the line wrote in a folder of a ``PATH`` that it set. In a folder for temporary files
        anything may go by the name."""
        folders = self.variables.values.get("PATH")
        if folders is None or isinstance(folders, list) or name in _WITHIN:
            return None
        from policyc.engine.shell.projects import placed

        for folder in (folders if isinstance(folders, str) else folders.template).split(":")[:64]:
            if "$" in folder:
                break
            path = f"{folder or '.'}/{name}"
            if placed(self, path) is not None:
                return path
            if path.startswith(_TEMPORARY):
                self.unknown_command()
        return None

    def call(self, name: str, body: Node, arguments: list[str | Dynamic] | None) -> str | Dynamic:
        self.called.add(body)
        place = self.variables.place
        if self.recurses(body, arguments):
            self.add(SimpleCommand(name, [name, *(arguments or [])], place))
            return UNKNOWN
        self.active[body] = (self.variables.changes, arguments)
        self.deeper()
        saved, self.variables.positional = self.variables.positional, arguments
        outer, self.variables.locals = self.variables.locals, {}
        self.in_function += 1
        output = self.run(body)
        self.in_function -= 1
        sets = assigned_in(body, self.variables.functions)
        if JUMP in sets:  # it may have returned before the end
            self.blur(sets)
        self.variables.leave(outer)
        self.variables.positional = saved
        self.depth -= 1
        del self.active[body]
        return output

    def command(
        self,
        program: str | None,
        fields: list[str | Dynamic],
        reads: tuple[str | None, ...] = (),
        writes: tuple[str | None, ...] = (),
    ) -> SimpleCommand:
        return SimpleCommand(
            program, fields, self.variables.place, reads + self.redirected_from, writes + self.redirected_to
        )

    def program_of(self, field: str | Dynamic) -> str | None:
        """The name that rules know a program by; None where it cannot be known."""
        if not isinstance(field, str):
            return None
        os = self.variables.os
        name = field.rpartition("/")[2]
        if isinstance(field, Glob) and name != "[" and any(char in name for char in "*?["):
            return None
        if "\\" in name and (is_windows(os) or field[1:3] == ":\\"):
            name = name.rpartition("\\")[2]
        if name[-4:].lower() == ".exe":
            name = name[:-4]
        return name.lower() if os is not None and (is_darwin(os) or is_windows(os)) else name


@remembered(1024)
def _handler(program: str) -> Handler | None:
    """What runs a program that is more than its argument list."""
    found = handler(program)
    if found is not None:
        return found
    if is_shell(program):
        from policyc.engine.shell.scripts import run_shell

        return run_shell
    language = language_of(program)
    if language is not None:
        known = language
        return lambda shell, command: _interpret(shell, command, known)
    if program[:2] == "ld":
        from policyc.engine.shell.callers import is_loader, run_loader

        if is_loader(program):
            return run_loader
    return _foreign if shell_of(program) is not None else None


def _interpret(shell: Running, command: SimpleCommand, language: Language) -> str | Dynamic:
    from policyc.engine.shell.scripts import run_language

    output = run_language(shell, command, language)
    shell.project(command)
    return output


def _foreign(shell: Running, command: SimpleCommand) -> str | Dynamic:
    """PowerShell or cmd: what it runs is not parsed."""
    shell.add(command)
    shell.foreign = shell.foreign or shell_of(command.program or "")
    command.code_unknown = True
    shell.unknown_command()
    return UNKNOWN


#: Programs that may be runners.
_RUNNING = frozenset([names[0] for names in RUNNERS] + [names[0] for names in CONTAINERS])


_BUILTINS = names("builtins")
_PROJECTS = frozenset(PROJECTS.split())
#: Programs that run a command in a container, with folders of this machine in it.
_MOUNTING = frozenset({"docker", "podman", "nerdctl", "docker-compose"})
#: Programs whose commands run in a process of their own.
_APART = frozenset({*WRAPPERS, *names("launchers"), *_RUNNING}) - {"builtin", "noglob", "exec"}


@remembered(1024)
def _may_be_apart(name: str) -> bool:
    return name in _APART or not name.isalnum() or not name.islower()


def _runner(program: str, fields: list[str | Dynamic]) -> tuple[Wrapper | None, list[str | Dynamic]]:
    """What runs the rest of the words, and those words from its own name on."""
    at = _past_options(program, fields)
    second, third = (fields[place] if place < len(fields) else "" for place in (at, at + 1))
    if isinstance(second, str):
        runner = RUNNERS.get((program, second))
        if runner is not None:
            return runner, fields[at:]
        for verb in ((program, second), (program, second, str(third))):
            if verb in CONTAINERS:
                return CONTAINERS[verb], fields[at + len(verb) - 2 :]
    return None, fields


def _past_options(program: str, fields: list[str | Dynamic]) -> int:
    """Where the subcommand stands, after the program's own options."""
    known = table(program)
    at = 1
    while at < len(fields):
        word = fields[at]
        if not isinstance(word, str) or word[:1] != "-":
            break
        option = known.get(word)
        at += 2 if option is not None and option.takes_value else 1
    return at


def _takes_code(program: str | None) -> bool:
    return program is not None and (
        program in _EVALUATING or is_shell(program) or language_of(program) is not None
    )


#: Names that the shell does not look for in ``PATH``.
_WITHIN = _BUILTINS - {"cat", "cp", "env", "mv", "tee"} | frozenset(
    ("echo", "test", "[", ":", "true", "false", "exit", "return", "break", "continue", "pwd", "kill", "wait")
)
_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/")
_EVALUATING = frozenset({"eval", "source", ".", "xargs"})
#: Builtins before which assignments stay.
_KEEPING = frozenset(
    {"export", "declare", "typeset", "local", "readonly", "eval", ".", "source", "exec", ":"}
)
