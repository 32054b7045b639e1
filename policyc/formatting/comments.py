"""Which entry a comment belongs to: what it stands behind, stands above, or is indented in."""

from __future__ import annotations

from collections.abc import Sequence

from policyc.formatting.nodes import Comment, Entry, Node


def attach(root: Node, comments: Sequence[Comment], text: str) -> list[Comment]:
    """Gives each comment to an entry of ``root``; returns those that no entry can have."""
    if not root.entries:
        return list(comments)
    for comment in comments:
        _attach(root, comment, text)
    return []


def lift(node: Node) -> None:
    """What stands above the first key of an item stands above the item."""
    for entry in node.entries:
        lift(entry.value)
        if entry.key is None and entry.value.entries:
            entry.leading += entry.value.entries[0].leading
            entry.value.entries[0].leading = []


def _attach(node: Node, comment: Comment, text: str) -> None:
    place = _before(node, comment)
    if place is None:
        node.entries[0].leading.append(comment)
        return
    entry = node.entries[place]
    if comment.start < entry.value.start:
        _between(entry, comment)
    elif comment.start < entry.value.end and entry.value.entries:
        _attach(entry.value, comment, text)
    elif comment.start < entry.value.end:
        entry.tail.append(comment)
    elif _is_behind(entry, comment, text):
        _attach_behind(entry, comment)
    elif entry.value.is_block and entry.value.entries and comment.own_line and comment.column > node.column:
        _attach(entry.value, comment, text)
    elif place + 1 < len(node.entries):
        node.entries[place + 1].leading.append(comment)
    else:
        node.foot.append(comment)


def _before(node: Node, comment: Comment) -> int | None:
    """The last entry that begins before the comment."""
    found = None
    for place, entry in enumerate(node.entries):
        if entry.start >= comment.start:
            break
        found = place
    return found


def _between(entry: Entry, comment: Comment) -> None:
    """The comment stands between a key or dash and its value."""
    if entry.key is None:
        entry.leading.append(comment)
    elif not comment.own_line:
        entry.head.append(comment)
    elif entry.value.is_collection and entry.value.entries:
        entry.value.entries[0].leading.append(comment)
    else:
        entry.leading.append(comment)


def _is_behind(entry: Entry, comment: Comment, text: str) -> bool:
    return not comment.own_line and "\n" not in text[entry.value.end : comment.start]


def _attach_behind(entry: Entry, comment: Comment) -> None:
    """Behind the end of a block is behind its last line."""
    while entry.value.is_block and entry.value.entries:
        entry = entry.value.entries[-1]
    entry.tail.append(comment)
