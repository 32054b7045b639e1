"""What the events of a call say of its arguments: the same as the item, since clients read either."""

from __future__ import annotations

from collections.abc import Sequence

from policyc_server.gateway.vendors.vendor import Document

#: Types of events: the key of what they bring, which is a piece, or all of it.
_PIECES = {
    "response.function_call_arguments.delta": "delta",
    "response.custom_tool_call_input.delta": "delta",
    "response.mcp_call_arguments.delta": "delta",
    "response.shell_call_command.added": "command",
    "response.shell_call_command.delta": "delta",
    "response.apply_patch_call_operation_diff.delta": "delta",
}
_WHOLES = {
    "response.function_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
    "response.mcp_call_arguments.done": "arguments",
    "response.shell_call_command.done": "command",
    "response.apply_patch_call_operation_diff.done": "diff",
}
#: Where an item has what its call does.
_SAYS = ("arguments", "input", "action", "actions", "operation", "environment")


def agrees(events: Sequence[Document], item: Document, *, is_hosted: bool) -> bool:
    """Whether the events of a call, of which the first has the item as it began, bring nothing but what is in
    ``item``. Nobody acts on the beginning of a hosted call."""
    began = events[0]["item"]
    if not is_hosted and not all(_begins(began.get(key), item.get(key)) for key in _SAYS):
        return False
    if (began.get("arguments") or began.get("input")) and any(map(_brings, events)):
        return False
    pieces: dict[object, list[str]] = {}
    for event in events:
        kind, place = event.get("type"), event.get("command_index")
        if kind in _PIECES:
            pieces.setdefault(place, []).append(str(event.get(_PIECES[kind])))
        elif kind in _WHOLES and event.get(_WHOLES[kind]) != _said(item, place):
            return False
    return all("".join(texts) == _said(item, place) for place, texts in pieces.items())


def _brings(event: Document) -> bool:
    """Whether an event adds to what a reader has of the item."""
    kind = event.get("type")
    return kind in _PIECES and bool(event.get(_PIECES[kind]))


def _begins(start: object, end: object) -> bool:
    """Whether ``start`` is what a reader may have of ``end`` before the rest of it comes."""
    if isinstance(start, dict) and isinstance(end, dict):
        return all(_begins(value, end.get(key)) for key, value in start.items())
    return not start or start == end


def _said(item: Document, place: object) -> object:
    """The text of the item that events bring, of a shell call the command at ``place``."""
    if item.get("type") == "apply_patch_call":
        operation = item.get("operation")
        return operation.get("diff") if isinstance(operation, dict) else None
    if item.get("type") != "shell_call":
        return item.get("input") if item.get("type") == "custom_tool_call" else item.get("arguments")
    action = item.get("action")
    commands = action.get("commands") if isinstance(action, dict) else None
    if not isinstance(commands, list) or not isinstance(place, int) or not 0 <= place < len(commands):
        return None
    return commands[place]
