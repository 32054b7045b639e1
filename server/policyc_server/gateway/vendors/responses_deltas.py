"""What the events of a call say of its arguments: the same as the item, since clients read either."""

from __future__ import annotations

from collections.abc import Iterable

from policyc_server.gateway.vendors.vendor import Document

#: Types of events: the key of what they bring, which is a piece, or all of it.
_PIECES = {
    "response.function_call_arguments.delta": "delta",
    "response.custom_tool_call_input.delta": "delta",
    "response.mcp_call_arguments.delta": "delta",
    "response.shell_call_command.added": "command",
    "response.shell_call_command.delta": "delta",
}
_WHOLES = {
    "response.function_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
    "response.mcp_call_arguments.done": "arguments",
    "response.shell_call_command.done": "command",
}


def agrees(events: Iterable[Document], item: Document) -> bool:
    """Whether the events of a call bring nothing but what is in the item."""
    pieces: dict[object, list[str]] = {}
    for event in events:
        kind, place = event.get("type"), event.get("command_index")
        if kind in _PIECES:
            pieces.setdefault(place, []).append(str(event.get(_PIECES[kind])))
        elif kind in _WHOLES and event.get(_WHOLES[kind]) != _said(item, place):
            return False
    return all("".join(texts) == _said(item, place) for place, texts in pieces.items())


def _said(item: Document, place: object) -> object:
    """The text of the item that events bring, of a shell call the command at ``place``."""
    if item.get("type") != "shell_call":
        return item.get("input") if item.get("type") == "custom_tool_call" else item.get("arguments")
    action = item.get("action")
    commands = action.get("commands") if isinstance(action, dict) else None
    if not isinstance(commands, list) or not isinstance(place, int) or not 0 <= place < len(commands):
        return None
    return commands[place]
