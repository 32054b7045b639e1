"""What a command line says: the nodes that the parser makes and the walker reads.

A word without quotes and expansions left to do is a plain ``str``; any other is a ``Word`` of parts.
"""

from __future__ import annotations


class Part:
    """A piece of a word."""

    __slots__ = ()


class Literal(Part):
    __slots__ = ("quoted", "text")

    def __init__(self, text: str, quoted: bool) -> None:
        self.text = text
        self.quoted = quoted


class Parameter(Part):
    """``$name`` or ``${name[subscript]<operator><argument>}``; ``name`` is None where it is not modelled."""

    __slots__ = ("argument", "name", "operator", "quoted", "subscript")

    def __init__(
        self,
        name: str | None,
        operator: str,
        argument: Word | None,
        quoted: bool,
        subscript: str | Word | None = None,
    ) -> None:
        self.name = name
        self.operator = operator
        self.argument = argument
        self.quoted = quoted
        self.subscript = subscript


class Substitution(Part):
    """``$(...)`` or backquotes."""

    __slots__ = ("body", "quoted")

    def __init__(self, body: Sequence, quoted: bool) -> None:
        self.body = body
        self.quoted = quoted


class Process(Part):
    """``<(...)``, or ``>(...)`` where ``writes``."""

    __slots__ = ("body", "writes")

    def __init__(self, body: Sequence, writes: bool) -> None:
        self.body = body
        self.writes = writes


class Arithmetic(Part):
    """``$((...))``: a number; ``parts`` are its text before expansion."""

    __slots__ = ("parts", "text")

    def __init__(self, parts: list[Part], text: str) -> None:
        self.parts = parts
        self.text = text


class Word:
    __slots__ = ("parts",)

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts


class Assignment:
    __slots__ = ("append", "name", "subscript", "value")

    def __init__(
        self,
        name: str,
        value: str | Word | list[str | Word],
        append: bool,
        subscript: str | Word | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.append = append
        self.subscript = subscript


class Redirect:
    """``target`` is a file, a descriptor or the text of a heredoc, as ``operator`` says."""

    __slots__ = ("descriptor", "operator", "target")

    def __init__(self, descriptor: str, operator: str, target: str | Word) -> None:
        self.descriptor = descriptor
        self.operator = operator
        self.target = target


class Node:
    __slots__ = ()


class Simple(Node):
    __slots__ = ("assignments", "redirects", "words")

    def __init__(
        self, assignments: list[Assignment], words: list[str | Word], redirects: list[Redirect]
    ) -> None:
        self.assignments = assignments
        self.words = words
        self.redirects = redirects


class Redirected(Node):
    """A compound command with redirects."""

    __slots__ = ("body", "redirects")

    def __init__(self, body: Node, redirects: list[Redirect]) -> None:
        self.body = body
        self.redirects = redirects


class Pipeline(Node):
    __slots__ = ("stages",)

    def __init__(self, stages: list[Node]) -> None:
        self.stages = stages


class AndOr(Node):
    """``first``, then each (``&&`` or ``||``, node)."""

    __slots__ = ("first", "rest")

    def __init__(self, first: Node, rest: list[tuple[str, Node]]) -> None:
        self.first = first
        self.rest = rest


class Sequence(Node):
    """Commands one after another, each with whether it runs in the background."""

    __slots__ = ("items",)

    def __init__(self, items: list[tuple[Node, bool]]) -> None:
        self.items = items


class Subshell(Node):
    __slots__ = ("body",)

    def __init__(self, body: Node) -> None:
        self.body = body


class Branches(Node):
    """``if`` and ``case``: ``head`` runs, then at most one of ``arms`` (exactly one where ``exhaustive``)."""

    __slots__ = ("arms", "exhaustive", "head")

    def __init__(self, head: Node, arms: list[Node], exhaustive: bool) -> None:
        self.head = head
        self.arms = arms
        self.exhaustive = exhaustive


class Loop(Node):
    """``while``, ``until``, ``for``, ``select``: ``name`` takes each of ``words`` (None: ``"$@"``)."""

    __slots__ = ("body", "head", "name", "words")

    def __init__(
        self, head: Node | None, name: str | None, words: list[str | Word] | None, body: Node
    ) -> None:
        self.head = head
        self.name = name
        self.words = words
        self.body = body


class Function(Node):
    __slots__ = ("body", "name")

    def __init__(self, name: str, body: Node) -> None:
        self.name = name
        self.body = body


class Expression(Node):
    """``(( ... ))`` and the words of ``case``: only the substitutions inside run."""

    __slots__ = ("assigns", "words")

    def __init__(self, words: list[str | Word], assigns: list[str]) -> None:
        self.words = words
        self.assigns = assigns


class Condition(Node):
    """``[[ ... ]]``: its words and operators, without parentheses, ``<`` and ``>``."""

    __slots__ = ("words",)

    def __init__(self, words: list[str | Word]) -> None:
        self.words = words
