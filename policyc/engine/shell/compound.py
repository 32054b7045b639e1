"""Compound commands, blanks, newlines and the heredocs that begin after one."""

from __future__ import annotations

import re
from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.arithmetic import assigned
from policyc.engine.shell.scanner import METACHARACTERS, Scanner, Unparsable
from policyc.engine.shell.tree import (
    Branches,
    Condition,
    Expression,
    Function,
    Loop,
    Node,
    Redirect,
    Sequence,
    Subshell,
    Word,
)

_BLANKS = lazy_pattern(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_SPACE = lazy_pattern(r"(?:[ \t]|\\\n)*")
_NAME = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)
_COPROCESS = lazy_pattern(r"[A-Za-z_]\w*[ \t]+(?=[{(])", re.ASCII)
_CASE_END = lazy_pattern(r";;&|;;|;&")
#: Words that end a command and never begin one.
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})


class Compound(Scanner):
    """What stands between the words and the grammar of simple commands."""

    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self.heredocs: list[tuple[Redirect, str, bool, bool]] = []

    def sequence_into(self, items: list[tuple[Node, bool]], closers: tuple[str, ...] = ()) -> None:
        raise NotImplementedError

    def command(self) -> Node:
        raise NotImplementedError

    def heredoc_word(self, body: str) -> Word:
        raise NotImplementedError

    # Blanks, newlines, heredocs --------------------------------------------------------------------------

    def blanks(self) -> None:
        if self.pos < self.end and self.text[self.pos] in " \t\\#":
            match = _BLANKS.match(self.text, self.pos)
            if match is not None:
                self.pos = match.end()

    def newlines(self) -> None:
        while True:
            self.blanks()
            if not self.text.startswith("\n", self.pos):
                return
            self.pos += 1
            if self.heredocs:
                self.read_heredocs()

    def at_word(self) -> bool:
        if self.pos >= self.end:
            return False
        char = self.text[self.pos]
        return char not in METACHARACTERS or (char in "<>" and self.text.startswith("(", self.pos + 1))

    def expect_heredoc(self, redirect: Redirect, delimiter: str) -> None:
        quoted = any(char in delimiter for char in "'\"\\")
        end = redirect.target if isinstance(redirect.target, str) else delimiter
        self.heredocs.append((redirect, end, redirect.operator == "<<-", quoted))
        redirect.target = ""

    def read_heredocs(self) -> None:
        """The bodies of the heredocs that wait, from ``pos`` on; one without an end takes the rest."""
        waiting, self.heredocs = self.heredocs, []
        for redirect, delimiter, strip, quoted in waiting:
            lines = []
            while self.pos < self.end:
                close = self.text.find("\n", self.pos)
                stop = self.end if close < 0 else close
                line = self.text[self.pos : stop]
                self.pos = min(stop + 1, self.end)
                if strip:
                    line = line.lstrip("\t")
                if line == delimiter:
                    break
                lines.append(line + "\n")
            body = "".join(lines)
            plain = quoted or not ("$" in body or "`" in body or "\\" in body)
            redirect.target = body if plain else self.heredoc_word(body)

    # Compound commands -----------------------------------------------------------------------------------

    def compound(self, keyword: str) -> Node | None:
        """The command that ``keyword`` at ``pos`` begins; None where it is a word like any other."""
        reader = _READERS.get(keyword)
        if reader is None:
            if keyword in _CLOSING:
                raise Unparsable(f"unexpected {keyword!r}")
            return None
        self.enter()
        self.pos += len(keyword)
        node = reader(self)
        self.leave()
        return node

    def until(self, *closers: str) -> Sequence:
        """The commands up to one of ``closers``, which is not consumed."""
        items: list[tuple[Node, bool]] = []
        self.sequence_into(items, closers)
        return Sequence(items)

    def expect(self, keyword: str) -> None:
        if not self.text.startswith(keyword, self.pos):
            raise Unparsable(f"{keyword!r} is missing")
        self.pos += len(keyword)

    def substitution_body(self) -> Sequence:
        self.enter()
        waiting, self.heredocs = self.heredocs, []
        body = self.until()
        self.expect(")")
        self.heredocs = waiting
        self.leave()
        return body

    def parenthesised(self) -> Node:
        if self.text.startswith("((", self.pos):
            start = self.pos
            arithmetic = self.arithmetic(start + 2)
            if arithmetic is not None:
                return Expression([Word([arithmetic])], assigned(arithmetic.text))
            self.pos = start
        self.pos += 1
        return Subshell(self.substitution_body())

    def group(self) -> Node:
        body = self.until("}")
        self.expect("}")
        return body

    def if_command(self) -> Node:
        head = self.until("then")
        self.expect("then")
        arm = self.until("elif", "else", "fi")
        if self.text.startswith("elif", self.pos):
            self.pos += 4
            self.enter()
            node = Branches(head, [arm, self.if_command()], True)
            self.leave()
            return node
        arms: list[Node] = [arm]
        if self.text.startswith("else", self.pos):
            self.pos += 4
            arms.append(self.until("fi"))
        self.expect("fi")
        return Branches(head, arms, len(arms) == 2)

    def while_loop(self) -> Node:
        head = self.until("do")
        return Loop(head, None, None, self.do_group())

    def do_group(self) -> Sequence:
        self.expect("do")
        body = self.until("done")
        self.expect("done")
        return body

    def for_loop(self) -> Node:
        self.blanks()
        if self.text.startswith("((", self.pos):
            head = self.parenthesised()
            self.blanks()
            if self.text.startswith(";", self.pos):
                self.pos += 1
            self.newlines()
            if self.text.startswith("{", self.pos):
                self.pos += 1
                return Loop(head, None, None, self.group())
            return Loop(head, None, None, self.do_group())
        name = self.name()
        self.newlines()
        words: list[str | Word] | None = None
        if self.keyword("in"):
            words = []
            self.blanks()
            while self.at_word():
                words.append(self.word())
                self.blanks()
        if self.text.startswith(";", self.pos):
            self.pos += 1
        self.newlines()
        if self.text.startswith("{", self.pos):
            self.pos += 1
            return Loop(None, name, words, self.group())
        return Loop(None, name, words, self.do_group())

    def name(self) -> str:
        match = _NAME.match(self.text, self.pos)
        if match is None:
            raise Unparsable("a name is missing")
        self.pos = match.end()
        return match.group()

    def keyword(self, word: str) -> bool:
        end = self.pos + len(word)
        if self.text.startswith(word, self.pos) and (end >= self.end or self.text[end] in METACHARACTERS):
            self.pos = end
            return True
        return False

    def case_command(self) -> Node:
        self.blanks()
        if not self.at_word():
            raise Unparsable("case has no word")
        words = [self.word()]
        self.newlines()
        if not self.keyword("in"):
            raise Unparsable("case has no 'in'")
        arms: list[Node] = []
        while True:
            self.newlines()
            if self.keyword("esac"):
                return Branches(Expression(words, []), arms, False)
            self.patterns(words)
            arms.append(self.until("esac"))
            match = _CASE_END.match(self.text, self.pos)
            if match is not None:
                self.pos = match.end()
            elif self.pos >= self.end:
                raise Unparsable("case is not closed")

    def patterns(self, words: list[str | Word]) -> None:
        if self.text.startswith("(", self.pos):
            self.pos += 1
        while True:
            self.blanks()
            if not self.at_word():
                raise Unparsable("a case pattern is missing")
            words.append(self.word())
            self.blanks()
            char = self.text[self.pos : self.pos + 1]
            self.pos += 1
            if char == ")":
                return
            if char != "|":
                raise Unparsable("a case pattern is not closed")

    def condition(self) -> Node:
        """``[[ ... ]]``."""
        words: list[str | Word] = []
        while self.pos < self.end:
            match = _SPACE.match(self.text, self.pos)
            if match is not None:
                self.pos = match.end()
            if self.keyword("]]"):
                return Condition(words)
            if self.at_word():
                words.append(self.word())
            else:
                self.pos += 1
        raise Unparsable("[[ is not closed")

    def function(self) -> Node:
        self.blanks()
        if not self.at_word():
            raise Unparsable("a function has no name")
        name = self.word()
        self.blanks()
        if self.text.startswith("(", self.pos):
            self.pos += 1
            self.blanks()
            self.expect(")")
        self.newlines()
        return Function(name if isinstance(name, str) else "", self.command())

    def coprocess(self) -> Node:
        self.blanks()
        match = _COPROCESS.match(self.text, self.pos)
        if match is not None:
            self.pos = match.end()
        return Subshell(self.command())

    def array(self) -> list[str | Word]:
        """The elements up to the closing parenthesis."""
        words: list[str | Word] = []
        while True:
            self.newlines()
            if self.text.startswith(")", self.pos):
                self.pos += 1
                return words
            if not self.at_word():
                raise Unparsable("an array is not closed")
            words.append(self.word())


_READERS: dict[str, Callable[[Compound], Node]] = {
    "{": Compound.group,
    "if": Compound.if_command,
    "while": Compound.while_loop,
    "until": Compound.while_loop,
    "for": Compound.for_loop,
    "select": Compound.for_loop,
    "case": Compound.case_command,
    "[[": Compound.condition,
    "function": Compound.function,
    "coproc": Compound.coprocess,
}
