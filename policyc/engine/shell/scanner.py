"""Words: quotes, escapes, expansions and substitutions, in one pass over the text.

The scanner follows the Bash Reference Manual, 3.1.2 (quoting) and 3.5 (expansions), and only says what is
written; ``expand.py`` says what it means.
"""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.escapes import unescape
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

#: Nesting of substitutions, groups and quoted programs inside one another.
MAX_DEPTH = 32
#: How often ``$((`` may turn out to begin a substitution: each costs a second reading.
MAX_RETRIES = 8

METACHARACTERS = frozenset(" \t\n;&|<>()")
_PLAIN = lazy_pattern(r"[\w./:@%+,^=!\-\]#~]+")
_LITERAL = lazy_pattern(r"[^ \t\n;&|<>()\\'\"$`]+")
_IN_DOUBLE = lazy_pattern(r"[^\"\\$`]+")
_IN_HEREDOC = lazy_pattern(r"[^\\$`]+")
_IN_BRACES = lazy_pattern(r"(?:[^}\\'\"$`<>]|[<>](?!\())+")
_IN_BRACES_QUOTED = lazy_pattern(r"[^}\\\"$`]+")
_IN_ARITHMETIC = lazy_pattern(r"[^()\\'\"$`]+")
_IN_BRACKETS = lazy_pattern(r"[^\[\]\\'\"$`]+")
_ANSI = lazy_pattern(r"(?:[^'\\]|\\.)*", re.DOTALL)
_BACKQUOTED = lazy_pattern(r"(?:[^`\\]|\\.)*", re.DOTALL)
_NAME = lazy_pattern(r"[A-Za-z_]\w*|[0-9@*#?$!\-]", re.ASCII)
_BRACED = lazy_pattern(r"([!#]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!\-])", re.ASCII)
_OPERATOR = lazy_pattern(r":?[-=+?]|##?|%%?|//?|:|\^\^?|,,?|@")
_DONE_EXPANDING = lazy_pattern(r"[*?\[{]")


class Unparsable(Exception):
    """The text is no command line, or one beyond a bound; the message says which."""


class Scanner:
    """Reads words at ``pos``. The parser adds the grammar (``sequence``, ``substitution_body``)."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.depth = depth
        self.retries = 0

    def substitution_body(self) -> Sequence:
        """The commands up to the closing parenthesis, which is consumed."""
        raise NotImplementedError

    def nested(self, text: str) -> Sequence:
        """The commands of another text, one level down."""
        raise NotImplementedError

    def word(self) -> str | Word:
        """The word at ``pos``; there must be one."""
        text, start = self.text, self.pos
        if text[start] != "~":
            match = _PLAIN.match(text, start)
            if match is not None:
                end = match.end()
                if end == self.end or (text[end] in METACHARACTERS and not text.startswith("(", end + 1)):
                    self.pos = end
                    return match.group()
        parts = self.unquoted_parts()
        if self.pos == start:
            raise Unparsable(f"unexpected {text[start]!r}")
        return simplify(parts)

    def unquoted_parts(self) -> list[Part]:
        parts: list[Part] = []
        text = self.text
        while self.pos < self.end:
            char = text[self.pos]
            if char in METACHARACTERS:
                if char in "<>" and text.startswith("(", self.pos + 1):
                    parts.append(self.process())
                    continue
                break
            if not self.quoting(char, parts):
                parts.append(self.run(_LITERAL, quoted=False))
        return parts

    def run(self, pattern: re.Pattern[str], *, quoted: bool) -> Literal:
        """The literal text that ``pattern`` matches at ``pos``, at least one character."""
        match = pattern.match(self.text, self.pos)
        end = self.pos + 1 if match is None else match.end()
        literal = Literal(self.text[self.pos : end], quoted)
        self.pos = end
        return literal

    def quoting(self, char: str, parts: list[Part]) -> bool:
        """Reads what an unquoted quote, backslash, dollar or backquote begins; False when it is none."""
        if char == "$":
            parts.append(self.dollar(quoted=False))
        elif char == "'":
            parts.append(self.single_quoted())
        elif char == '"':
            self.pos += 1
            self.double_quoted(parts)
        elif char == "\\":
            self.escape(parts)
        elif char == "`":
            parts.append(self.backquoted(quoted=False))
        else:
            return False
        return True

    def escape(self, parts: list[Part]) -> None:
        following = self.text[self.pos + 1 : self.pos + 2]
        self.pos = min(self.pos + 2, self.end)
        if following != "\n":  # a backslash before a newline continues the line
            parts.append(Literal(following or "\\", True))

    def single_quoted(self) -> Literal:
        close = self.text.find("'", self.pos + 1)
        if close < 0:
            raise Unparsable("a single quote is not closed")
        literal = Literal(self.text[self.pos + 1 : close], True)
        self.pos = close + 1
        return literal

    def double_quoted(self, parts: list[Part]) -> None:
        """Appends the parts up to the closing quote."""
        count = len(parts)
        while self.pos < self.end:
            if self.text[self.pos] == '"':
                self.pos += 1
                if len(parts) == count:
                    parts.append(Literal("", True))
                return
            self.inside_quotes(parts, _IN_DOUBLE, '$`"\\')
        raise Unparsable("a double quote is not closed")

    def heredoc_parts(self) -> list[Part]:
        """The whole text as the body of a heredoc whose delimiter is not quoted."""
        parts: list[Part] = []
        while self.pos < self.end:
            self.inside_quotes(parts, _IN_HEREDOC, "$`\\")
        return parts

    def inside_quotes(self, parts: list[Part], literal: re.Pattern[str], escapable: str) -> None:
        char = self.text[self.pos]
        if char == "$":
            parts.append(self.dollar(quoted=True))
        elif char == "`":
            parts.append(self.backquoted(quoted=True))
        elif char == "\\":
            following = self.text[self.pos + 1 : self.pos + 2]
            self.pos = min(self.pos + 2, self.end)
            if following != "\n":
                parts.append(
                    Literal(following if following and following in escapable else char + following, True)
                )
        else:
            parts.append(self.run(literal, quoted=True))

    def dollar(self, *, quoted: bool) -> Part:
        text = self.text
        self.pos += 1
        following = text[self.pos : self.pos + 1]
        if following == "(":
            return self.parenthesis(quoted)
        if following == "{":
            return self.braced(quoted)
        if following == "'" and not quoted:
            return self.ansi_quoted()
        if following == '"' and not quoted:
            return Literal("", True)  # $"..." is "..." for another locale; the quote comes next
        if following == "[":
            return self.old_arithmetic()
        match = _NAME.match(text, self.pos)
        if match is None:
            return Literal("$", True)
        self.pos = match.end()
        return Parameter(match.group(), "", None, quoted)

    def ansi_quoted(self) -> Literal:
        match = _ANSI.match(self.text, self.pos + 1)
        if match is None or match.end() >= self.end:
            raise Unparsable("$'...' is not closed")
        self.pos = match.end() + 1
        return Literal(unescape(match.group()).partition("\0")[0], True)

    def parenthesis(self, quoted: bool) -> Part:
        if self.text.startswith("((", self.pos):
            start = self.pos
            arithmetic = self.arithmetic(start + 2)
            if arithmetic is not None:
                return arithmetic
            self.pos = start
        self.pos += 1
        return Substitution(self.substitution_body(), quoted)

    def process(self) -> Process:
        writes = self.text[self.pos] == ">"
        self.pos += 2
        return Process(self.substitution_body(), writes)

    def arithmetic(self, start: int) -> Arithmetic | None:
        """The expression from ``start`` to its ``))``; None where the parentheses are those of commands."""
        text = self.text
        parts: list[Part] = []
        self.pos = start
        nesting = 0
        self.enter()
        while self.pos < self.end:
            char = text[self.pos]
            if char == ")":
                if nesting == 0:
                    self.leave()
                    if not text.startswith("))", self.pos):
                        self.retries += 1
                        if self.retries > MAX_RETRIES:
                            raise Unparsable("too many parentheses that could be arithmetic")
                        return None
                    self.pos += 2
                    return Arithmetic(parts, text[start : self.pos - 2])
                nesting -= 1
            nesting += char == "("
            if char in "()'" or not self.quoting(char, parts):
                parts.append(self.run(_IN_ARITHMETIC, quoted=True))
        raise Unparsable("(( is not closed")

    def old_arithmetic(self) -> Part:
        start = self.pos + 1
        return Arithmetic(self.bracketed(), self.text[start : self.pos - 1])

    def bracketed(self) -> list[Part]:
        """The parts between the bracket at ``pos`` and the one that closes it."""
        parts: list[Part] = []
        text = self.text
        nesting = 0
        self.pos += 1
        self.enter()
        while self.pos < self.end:
            char = text[self.pos]
            if char == "]" and nesting == 0:
                self.pos += 1
                self.leave()
                return parts
            nesting += (char == "[") - (char == "]")
            if char in "[]" or not self.quoting(char, parts):
                parts.append(self.run(_IN_BRACKETS, quoted=True))
        raise Unparsable("[ is not closed")

    def subscript(self) -> str | Word | None:
        """What is between brackets at ``pos``, where there are any."""
        return simplify(self.bracketed()) if self.text.startswith("[", self.pos) else None

    def braced(self, quoted: bool) -> Part:
        match = _BRACED.match(self.text, self.pos + 1)
        if match is None:
            self.pos += 1
            return Parameter(None, "", self.brace_word(quoted, plain=True), quoted)
        prefix, name = match.groups()
        self.pos = match.end()
        subscript = self.subscript() if name.isidentifier() else None
        if self.text.startswith("}", self.pos):
            self.pos += 1
            return Parameter(name, prefix, None, quoted, subscript)
        operator = _OPERATOR.match(self.text, self.pos)
        if operator is None or prefix:
            return Parameter(None, "", self.brace_word(quoted, plain=True), quoted)
        self.pos = operator.end()
        symbol = operator.group()
        argument = self.brace_word(quoted, plain=quoted and symbol[-1] in "-=+?")
        return Parameter(name, symbol, argument, quoted, subscript)

    def brace_word(self, quoted: bool, *, plain: bool) -> Word:
        """The word up to ``}``. Single quotes are plain characters in it where ``plain``."""
        parts: list[Part] = []
        text = self.text
        self.enter()
        while self.pos < self.end:
            char = text[self.pos]
            if char == "}":
                self.pos += 1
                self.leave()
                return Word(parts)
            if char == "'" and plain:
                self.pos += 1
                parts.append(Literal("'", True))
            elif char in "<>" and text.startswith("(", self.pos + 1) and not quoted:
                parts.append(self.process())
            elif char == "$":
                parts.append(self.dollar(quoted=quoted))
            elif not self.quoting(char, parts):
                parts.append(self.run(_IN_BRACES_QUOTED if plain else _IN_BRACES, quoted=quoted))
        raise Unparsable("${ is not closed")

    def backquoted(self, *, quoted: bool) -> Substitution:
        match = _BACKQUOTED.match(self.text, self.pos + 1)
        if match is None or match.end() >= self.end:
            raise Unparsable("a backquote is not closed")
        self.pos = match.end() + 1
        escapable = r"\\([$`\\\"])" if quoted else r"\\([$`\\])"
        return Substitution(self.nested(re.sub(escapable, r"\1", match.group())), quoted)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unparsable(f"nested more than {MAX_DEPTH} deep")

    def leave(self) -> None:
        self.depth -= 1


def simplify(parts: list[Part]) -> str | Word:
    """A plain string where nothing is left to expand."""
    texts = []
    if len(parts) == 1 and isinstance(parts[0], Literal) and parts[0].text == "[":
        return "["  # the program, no pattern
    for part in parts:
        if not isinstance(part, Literal):
            return Word(parts)
        if not part.quoted and (_DONE_EXPANDING.search(part.text) or part.text.startswith("~")):
            return Word(parts)
        texts.append(part.text)
    return "".join(texts)
