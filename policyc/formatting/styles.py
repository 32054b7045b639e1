"""Which collections stand on one line: short clauses and lists of words, and what its author wrote so."""

from __future__ import annotations

from policyc.formatting.nodes import ALIAS, MAPPING, SCALAR, SEQUENCE, Node
from policyc.formatting.scalars import is_one_line, needs_no_quotes, written

#: Columns of a line.
WIDTH = 120
#: A list with a longer item has a line for each.
_LONG_ITEM = 60
#: Lists and mappings that always have lines of their own, unless the whole rule is on one.
_ALWAYS_BLOCK = frozenset(("rules", "clauses", "args_match"))


def one_line(node: Node, room: int) -> str | None:
    """``node`` on one line of at most ``room`` characters, or None where it takes several."""
    if node.kind == SCALAR:
        return written(node, in_flow=False) if is_one_line(node) else None
    if node.kind == ALIAS:
        return f"*{node.text}"
    if not node.entries:
        return flow_text(node)
    if not _can_flow(node) or not _is_wanted(node):
        return None
    text = flow_text(node)
    return text if len(text) <= room else None


def is_filled(node: Node) -> bool:
    """Whether a list that is too long for one line is a paragraph of words rather than a line for each."""
    if node.kind != SEQUENCE or not node.entries or not _can_flow(node) or not (node.flow or node.in_rule):
        return False
    return _are_scalars(node) and all(len(text) <= _LONG_ITEM for text in items(node))


def items(node: Node) -> list[str]:
    """The entries of a list as they stand between brackets."""
    bare = are_bare(node)
    return [_anchored(entry.value, _inside(entry.value, bare)) for entry in node.entries]


def are_bare(node: Node) -> bool:
    """Whether no item of a list needs quotes: then none has them."""
    scalars = [entry.value for entry in node.entries if entry.value.kind == SCALAR]
    return all(map(needs_no_quotes, scalars))


def flow_text(node: Node) -> str:
    """``[a, b]`` or ``{a: b}``."""
    if node.kind == SEQUENCE:
        return f"[{', '.join(items(node))}]"
    pairs = []
    for entry in node.entries:
        assert entry.key is not None
        pairs.append(f"{key_text(entry.key)} {_anchored(entry.value, _inside(entry.value))}")
    return f"{{{', '.join(pairs)}}}"


def key_text(key: Node) -> str:
    """The key with its colon."""
    if key.kind == ALIAS:
        return f"*{key.text} :"
    return _anchored(key, f"{written(key, in_flow=True)}:")


def _anchored(node: Node, text: str) -> str:
    return text if node.anchor is None else f"&{node.anchor} {text}"


def _inside(node: Node, bare: bool = True) -> str:
    if node.kind == SCALAR:
        return written(node, in_flow=True, bare=bare)
    return f"*{node.text}" if node.kind == ALIAS else flow_text(node)


def _is_wanted(node: Node) -> bool:
    if node.definition in _ALWAYS_BLOCK:
        return False
    return node.flow or (node.in_rule and _is_simple(node))


def _is_simple(node: Node) -> bool:
    """Whether nothing in it has a structure of its own."""
    if node.kind == SEQUENCE:
        return _are_scalars(node)
    return all(
        not entry.value.is_collection or (entry.value.kind == SEQUENCE and _are_scalars(entry.value))
        for entry in node.entries
    )


def _are_scalars(node: Node) -> bool:
    return not any(entry.value.is_collection for entry in node.entries)


def _can_flow(node: Node) -> bool:
    if node.kind == ALIAS:
        return True
    if node.kind == SCALAR:
        return is_one_line(node)
    return not node.foot and all(
        not entry.comments and _can_flow(entry.value) and (node.kind != MAPPING or _is_key(entry.key))
        for entry in node.entries
    )


def _is_key(key: Node | None) -> bool:
    return key is not None and not key.is_collection and is_one_line(key)
