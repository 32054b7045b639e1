"""What the line writes to files, and what its commands read: redirects, copies, and what stays as it was."""

from __future__ import annotations

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.expand import Expander
from policyc.engine.shell.facts import SimpleCommand
from policyc.engine.shell.fields import NUMBER, UNKNOWN, Dynamic, Stream
from policyc.engine.shell.tree import Redirect
from policyc.engine.shell.variables import Variables

#: Characters parsed, the texts given to nested shells included.
MAX_PARSED = 1 << 18

#: Files that stand for what was opened elsewhere, or for another host.
_DESCRIPTOR = lazy_pattern(r"/+(?:dev/+(?:fd|tcp|udp)/|proc/+[^/]+/+fd/)")


class WrittenFiles(Expander):
    """``stdin`` is what the commands can read: text, not known, or None where nothing was redirected."""

    def __init__(self, variables: Variables) -> None:
        super().__init__(variables)
        self.commands: list[SimpleCommand] = []
        #: What the line put into files (None: what was there before stays), and after how many commands.
        self.files: dict[str, tuple[str | Dynamic | None, int]] = {}
        self.stdin: str | Dynamic | None = None

    def redirect(
        self, redirects: list[Redirect]
    ) -> tuple[tuple[str | None, ...], tuple[str | None, ...], str | None, bool]:
        """Applies redirects and sets ``stdin``. Answers (paths read, paths written, the file that takes the
        output, whether it appends)."""
        reads: list[str | None] = []
        writes: list[str | None] = []
        into: str | None = None
        appends = errors = False  # errors may go where the output went
        for redirect in redirects:
            operator = redirect.operator
            if redirect.descriptor[:1] == "{":
                self.variables.set(redirect.descriptor[1:-1], NUMBER)
            if operator in ("<<", "<<-"):
                self.stdin = self.single(redirect.target)
            elif operator == "<<<":
                text = self.single(redirect.target)
                self.stdin = text + "\n" if isinstance(text, str) else text
            else:
                target = self.target(redirect.target)
                if operator == "<&":
                    self.stdin = None if target in ("-", "0") else UNKNOWN
                if operator in ("<&", ">&") and (
                    not isinstance(target, str) or target.rstrip("-").isdigit() or target == "-"
                ):
                    errors = errors or redirect.descriptor == "2"
                    continue
                path = self.path_of(target)
                if isinstance(target, Stream) and operator == "<":
                    self.stdin = target.text
                if target == "/dev/null" and redirect.descriptor in ("", "1") and not errors:
                    into = ""  # nothing is left of the output
                if path == "":
                    errors = errors or redirect.descriptor == "2"
                    continue
                if operator != "<":
                    writes.append(path)
                if operator in ("<", "<>"):
                    reads.append(path)
                    self.stdin = self.written(target)
                elif redirect.descriptor in ("", "1"):
                    into, appends = path, operator in (">>", "&>>")
        return tuple(reads), tuple(writes), into, appends

    def path_of(self, target: str | Dynamic) -> str | None:
        """The normal form of a redirect's file; empty for a device, None where it is not known."""
        if isinstance(target, Dynamic):
            return None
        if target in ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/fd/63"):
            return ""
        return self.variables.resolve(target)

    def store(self, path: str | None, output: str | Dynamic, appends: bool) -> None:
        if path:
            before = self.files.get(path, ("", 0))[0] if appends else ""
            known = (
                isinstance(before, str) and isinstance(output, str) and len(before) + len(output) < MAX_PARSED
            )
            self.put(path, before + output if known else UNKNOWN)  # type: ignore[operator]

    def put(self, path: str, content: str | Dynamic | None) -> None:
        self.files[path] = content, len(self.commands)

    def known_file(self, path: str | Dynamic) -> str | Dynamic | None:
        """What the line's own output put into a file, None where there was none."""
        name = self.variables.resolve(path) if isinstance(path, str) and self.files else None
        return None if name is None or name not in self.files else self.content(name, len(self.commands))

    def written(self, path: str | Dynamic) -> str | Dynamic | None:
        """What this line wrote to a file before: text, not known, or None where it did not write it."""
        if isinstance(path, Dynamic):
            if _DESCRIPTOR.match(path.leading):
                return UNKNOWN
            return UNKNOWN if any(None in command.writes for command in self.commands) else None
        if path[:5] in ("/dev/", "/proc") and _DESCRIPTOR.match(path):
            return UNKNOWN
        name = self.variables.resolve(path)
        if name is None:
            return UNKNOWN if self.files else None
        return self.content(name, len(self.commands))

    def source(self, path: str | Dynamic) -> str | Dynamic | None:
        """What a copy of the file holds; None where that is on disk and this line did not write it."""
        if path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            return UNKNOWN if self.stdin is None else self.stdin
        text = getattr(path, "text", None)
        return self.written(path) if text is None else text

    def content(self, name: str, end: int) -> str | Dynamic | None:
        """What is in a file after ``end`` commands: text, not known, or None for what was there before."""
        known, start = self.files.get(name, (None, 0))
        later = self.commands[min(start, end) : end]
        from policyc.engine.shell.effects_of_tools import KEEPS_MEANING

        if any(command.program not in KEEPS_MEANING and name in command.writes for command in later):
            return UNKNOWN
        return known

    def settle(self, before: dict[str, tuple[str | Dynamic | None, int]], start: int) -> None:
        """The commands from ``start`` on may not have run."""
        now = self.files
        for name in [name for name in now if now[name] is not before.get(name)]:
            written = now[name]
            self.files = before
            kept = self.content(name, start)
            self.files = now
            if kept is not None and kept != written[0]:
                self.put(name, UNKNOWN)
