"""The grammar: pipelines, lists and compound commands (Bash Reference Manual, 3.2), by recursive descent.

Each character is read once, except as ``scanner.MAX_RETRIES`` allows.
"""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.compound import Compound
from policyc.engine.shell.scanner import Unparsable, simplify
from policyc.engine.shell.tree import (
    AndOr,
    Assignment,
    Function,
    Literal,
    Node,
    Part,
    Pipeline,
    Redirect,
    Redirected,
    Sequence,
    Simple,
    Word,
)

_ASSIGNED_NAME = lazy_pattern(r"([A-Za-z_]\w*)(?:(?=\[)|(\+?)=)", re.ASCII)
_ASSIGNS = lazy_pattern(r"(\+?)=")
_REDIRECT = lazy_pattern(r"([0-9]+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)", re.ASCII)
_PLAIN_WORD = lazy_pattern(r"[ \t]+([\w./:@%+,^=\-][\w./:@%+,^=!\-\]#~]*)(?=[ \t\n;&|)]|\Z)")
_PARAMETERS = lazy_pattern(r"[ \t]*\([ \t]*\)")
_KEYWORD = lazy_pattern(r"(?:[a-z]+|\[\[|[{}!])(?=[ \t\n;&|<>()]|\Z)")
_PIPE = lazy_pattern(r"\|&?(?!\|)")
_TIME = lazy_pattern(r"time(?:[ \t]+-p)?(?:[ \t]+--)?(?=[ \t\n;&|()]|\Z)(?![ \t]+-)")
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})


class Parser(Compound):
    """``parse()`` fills ``items``; what was complete before a fault stays there, as the shell runs it."""

    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self.items: list[tuple[Node, bool]] = []

    def parse(self) -> Sequence:
        """All commands of the text. Raises Unparsable."""
        self.sequence_into(self.items)
        if self.pos < self.end:
            raise Unparsable(f"unexpected {self.text[self.pos]!r}")
        self.read_heredocs()
        return Sequence(self.items)

    def nested(self, text: str) -> Sequence:
        self.enter()
        tree = Parser(text, self.depth).parse()
        self.leave()
        return tree

    def heredoc_word(self, body: str) -> Word:
        self.enter()
        parts = Parser(body, self.depth).heredoc_parts()
        self.leave()
        return Word(parts)

    def sequence_into(self, items: list[tuple[Node, bool]], closers: tuple[str, ...] = ()) -> None:
        while True:
            self.newlines()
            if self.pos >= self.end or self.text[self.pos] == ")" or self.closes(closers):
                return
            node = self.and_or()
            self.blanks()
            char = self.text[self.pos : self.pos + 1]
            if char == ";" and not self.text.startswith((";;", ";&"), self.pos):
                self.pos += 1
            elif char == "&":
                self.pos += 1
                items.append((node, True))
                continue
            items.append((node, False))
            if char == ";" and self.text.startswith((";;", ";&"), self.pos):
                return
            if char and char not in ";\n)":
                # After a compound command (`{ a; } }`, `(a) b`) only a closing word may follow.
                if self.closes(closers):
                    return
                raise Unparsable(f"unexpected {char!r}")

    def closes(self, closers: tuple[str, ...]) -> bool:
        if self.text.startswith((";;", ";&"), self.pos):
            return True
        match = _KEYWORD.match(self.text, self.pos) if closers else None
        return match is not None and match.group() in closers

    def and_or(self) -> Node:
        first = self.pipeline()
        rest: list[tuple[str, Node]] = []
        while True:
            self.blanks()
            operator = self.text[self.pos : self.pos + 2]
            if operator not in ("&&", "||"):
                return AndOr(first, rest) if rest else first
            self.pos += 2
            self.newlines()
            rest.append((operator, self.pipeline()))

    def pipeline(self) -> Node:
        prefixed = self.text.startswith(("!", "t"), self.pos) and self.prefixes()
        if prefixed and (self.pos >= self.end or self.text[self.pos] in "\n;"):
            return Simple([], [], [])  # `time` or `!` alone
        stages = [self.command()]
        while True:
            self.blanks()
            match = _PIPE.match(self.text, self.pos)
            if match is None:
                return Pipeline(stages) if len(stages) > 1 else stages[0]
            self.pos = match.end()
            self.newlines()
            stages.append(self.command())

    def prefixes(self) -> bool:
        """Passes ``!`` and ``time``; whether there were any."""
        start = self.pos
        while self.pos < self.end:
            match = _TIME.match(self.text, self.pos)
            if match is not None:
                self.pos = match.end()
            elif self.text[self.pos] == "!" and self.text[self.pos + 1 : self.pos + 2] in (
                "",
                " ",
                "\t",
                "\n",
                "(",
            ):
                self.pos += 1
            else:
                break
            self.blanks()
        return self.pos > start

    def command(self) -> Node:
        text = self.text
        if self.pos >= self.end:
            raise Unparsable("a command is missing at the end")
        char = text[self.pos]
        if char == "(":
            return self.redirected(self.parenthesised())
        match = _KEYWORD.match(text, self.pos)
        if match is not None:
            compound = self.compound(match.group())
            if compound is not None:
                return compound if isinstance(compound, Function) else self.redirected(compound)
        return self.simple()

    def redirected(self, node: Node) -> Node:
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            if not self.redirect(redirects):
                return Redirected(node, redirects) if redirects else node

    def simple(self) -> Node:
        text, end = self.text, self.end
        assignments: list[Assignment] = []
        words: list[str | Word] = []
        redirects: list[Redirect] = []
        start = self.pos
        while True:
            self.blanks()
            if self.pos >= end:
                break
            char = text[self.pos]
            if char in "\n;|)":
                break
            if char in "<>&{0123456789" and self.redirect(redirects):
                continue
            if char == "&":
                break
            if char == "(":
                if len(words) == 1 and isinstance(words[0], str) and not assignments and not redirects:
                    return self.function_after(words[0])
                raise Unparsable("unexpected '('")
            match = _ASSIGNED_NAME.match(text, self.pos) if not words or words[0] in _DECLARING else None
            if match is not None and self.assignment(match, assignments, words):
                continue
            words.append(self.word())
            # Most words are plain: all that follow at once.
            match = _PLAIN_WORD.match(text, self.pos)
            while match is not None:
                words.append(match.group(1))
                self.pos = match.end()
                match = _PLAIN_WORD.match(text, self.pos)
        if self.pos == start:
            raise Unparsable(
                f"unexpected {text[self.pos : self.pos + 1]!r}" if self.pos < end else "unexpected end"
            )
        return Simple(assignments, words, redirects)

    def function_after(self, name: str) -> Node:
        match = _PARAMETERS.match(self.text, self.pos)
        if match is None:
            raise Unparsable("unexpected '('")
        self.pos = match.end()
        self.newlines()
        return Function(name, self.command())

    def assignment(
        self, match: re.Match[str], assignments: list[Assignment], words: list[str | Word]
    ) -> bool:
        """An assignment, or a word that begins like one; False for one that a builtin in ``words`` reads."""
        name, append = match.groups()
        if append is None:
            return self.element(name, match.end(), assignments, words)
        if words and not self.text.startswith("(", match.end()):
            return False
        self.pos = match.end()
        assignments.append(Assignment(name, self.value(), bool(append)))
        return True

    def value(self) -> str | Word | list[str | Word]:
        if self.text.startswith("(", self.pos):
            self.pos += 1
            return self.array()
        return self.word() if self.at_word() else ""

    def element(
        self, name: str, bracket: int, assignments: list[Assignment], words: list[str | Word]
    ) -> bool:
        """``name[subscript]=value``; without the ``=`` it is a word, blanks between the brackets and all."""
        self.pos = bracket
        parts = self.bracketed()
        match = _ASSIGNS.match(self.text, self.pos)
        if match is None or words:
            between: list[Part] = [Literal(f"{name}[", False), *parts, Literal("]", False)]
            words.append(simplify([*between, *self.unquoted_parts()]))
            return True
        self.pos = match.end()
        assignments.append(Assignment(name, self.value(), bool(match.group(1)), simplify(parts)))
        return True

    def redirect(self, redirects: list[Redirect]) -> bool:
        match = _REDIRECT.match(self.text, self.pos)
        if match is None:
            return False
        descriptor, operator = match.groups()
        if operator in ("<", ">") and self.text.startswith("(", match.end()):
            return False  # a process substitution
        self.pos = match.end()
        self.blanks()
        start = self.pos
        if not self.at_word():
            raise Unparsable(f"{operator} has no target")
        redirect = Redirect(descriptor or "", operator, self.word())
        redirects.append(redirect)
        if operator in ("<<", "<<-"):
            self.expect_heredoc(redirect, self.text[start : self.pos])
        return True
