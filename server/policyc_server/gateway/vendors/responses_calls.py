"""Calls among the output items of OpenAI responses: one row for each kind of item.

https://platform.openai.com/docs/api-reference/responses/object
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from policyc_server.gateway.vendors.shapes import as_object
from policyc_server.gateway.vendors.vendor import NAMELESS, Document, ToolCall

#: A picture of one transparent pixel: the only result that a call of the computer may have.
_NO_PICTURE = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

#: Items that ask for nothing, and what hosted calls returned.
INERT = frozenset(
    {
        *(
            "message",
            "reasoning",
            "compaction",
            "additional_tools",
            "mcp_list_tools",
            "mcp_approval_response",
        ),
        *(
            "function_call_output",
            "custom_tool_call_output",
            "computer_call_output",
            "local_shell_call_output",
        ),
        *("shell_call_output", "apply_patch_call_output", "tool_search_output", "program_output"),
    }
)


#: What says which call an item is.
_KEYS = ("type", "name", "namespace", "server_label", "arguments", "input", "action", "actions", "operation")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of item that is a call.

    ``refused`` makes the input items that tell the model its call was blocked; None where the vendor runs the
    call, so that nobody answers it. ``rewritten`` puts other arguments into the item; None where what runs is
    not what the item says."""

    name: Callable[[Document], str]
    raw: Callable[[Document], str | Document | None]
    refused: Callable[[Document, str], list[Document]] | None = None
    rewritten: Callable[[Document, Document, str], Document] | None = None
    canonical: Callable[[Document], str | None] = lambda _item: None
    owner: Callable[[Document], str | None] = lambda _item: None


def call_of(item: Document, key: int) -> ToolCall | None:
    """The call that ``item`` is; None where it asks for nothing. An item of an unknown type is a call too.
    Raises Unreadable."""
    as_object(item, "an item", *_KEYS)
    if _text_in(item, "type") in INERT:
        return None
    kind = kind_of(item)
    return ToolCall(
        key,
        kind.name(item),
        kind.raw(item),
        canonical=kind.canonical(item),
        owner=kind.owner(item),
        is_hosted=kind.refused is None,
    )


def result_of(item: Document, items: Mapping[int, Document]) -> int | None:
    """Which of ``items`` is the call that ``item`` is the result of; None where it is the result of none."""
    made = item.get("call_id") if _text_in(item, "type") in INERT else None
    return next(
        (key for key, call in items.items() if made is not None and call.get("call_id") == made), None
    )


def kind_of(item: Document) -> Kind:
    """The row for a call."""
    kind = _text_in(item, "type") or NAMELESS
    if kind == "shell_call" and _text_in(item.get("environment"), "type") not in ("", "local"):
        return Kind(_named("shell"), _commands, canonical=_SHELL)
    if kind == "tool_search_call" and item.get("execution") != "client":
        return _hosted("tool_search", "arguments")
    return _KINDS.get(kind) or Kind(_named(kind), lambda _item: None)


def _hosted(name: str, *keys: str) -> Kind:
    return Kind(_named(name), _picked(*keys))


def _named(name: str) -> Callable[[Document], str]:
    return lambda _item: name


def _picked(*keys: str) -> Callable[[Document], Document]:
    return lambda item: {key: item[key] for key in keys if key in item}


def _text_in(value: object, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _function_name(item: Document) -> str:
    name, namespace = _text_in(item, "name") or NAMELESS, _text_in(item, "namespace")
    return f"{namespace}.{name}" if namespace else name


def _json_arguments(item: Document) -> str | None:
    arguments = item.get("arguments")
    return arguments if isinstance(arguments, str) else None


def _custom_input(item: Document) -> Document | None:
    text = item.get("input")
    return {"input": text} if isinstance(text, str) else None


def _words(item: Document) -> Document | None:
    """The command line of a local shell, and what else the model chose for it."""
    action, words = _texts(item, "command")
    return None if words is None else {**action, "command": shlex.join(words)}


def _commands(item: Document) -> Document | None:
    """The command lines of a shell call as the lines of one."""
    action, lines = _texts(item, "commands")
    return None if lines is None else {**action, "command": "\n".join(lines)}


def _texts(item: Document, key: str) -> tuple[Document, list[str] | None]:
    """The action of a shell call, and the strings under ``key`` of it; None where they are none."""
    action = item.get("action")
    if not isinstance(action, dict):
        return {}, None
    texts = action.get(key)
    are_texts = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    return action, texts if are_texts else None


_PATCHES = {"create_file": "fs.write", "update_file": "fs.edit", "delete_file": "fs.delete"}


def _patch(item: Document) -> Document | None:
    operation = item.get("operation")
    if not isinstance(operation, dict) or _text_in(operation, "type") not in _PATCHES:
        return None
    return {**operation, **({"content": operation["diff"]} if "diff" in operation else {})}


def _output(
    kind: str, output: Callable[[str], Any], **more: Any
) -> Callable[[Document, str], list[Document]]:
    return lambda item, text: [{"type": kind, "call_id": item.get("call_id"), "output": output(text), **more}]


def _shell_failure(text: str) -> list[Document]:
    return [{"stdout": "", "stderr": text, "outcome": {"type": "exit", "exit_code": 1}}]


def _said(text: str) -> Document:
    return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}


def _no_picture(item: Document, text: str) -> list[Document]:
    picture = {"type": "computer_screenshot", "image_url": _NO_PICTURE}
    return [{"type": "computer_call_output", "call_id": item.get("call_id"), "output": picture}, _said(text)]


def _no_tools(item: Document, text: str) -> list[Document]:
    found = {"execution": "client", "status": "completed", "tools": []}
    return [{"type": "tool_search_output", "call_id": item.get("call_id"), **found}, _said(text)]


def _not_approved(item: Document, text: str) -> list[Document]:
    asked = item.get("id")
    return [{"type": "mcp_approval_response", "approval_request_id": asked, "approve": False, "reason": text}]


def _local_shell_failure(item: Document, text: str) -> list[Document]:
    return [{"type": "local_shell_call_output", "id": item.get("call_id"), "output": text}]


def _mcp(refused: Callable[[Document, str], list[Document]] | None) -> Kind:
    def name(item: Document) -> str:
        return f"{_text_in(item, 'server_label')}.{_text_in(item, 'name') or NAMELESS}"

    return Kind(
        name,
        _json_arguments,
        refused,
        canonical=lambda item: f"mcp.{name(item)}",
        owner=lambda item: _text_in(item, "server_label") or None,
    )


_SHELL = _named("shell.exec")
_KINDS: Mapping[str, Kind] = {
    "function_call": Kind(
        _function_name,
        _json_arguments,
        _output("function_call_output", str),
        lambda item, _args, text: {**item, "arguments": text},
    ),
    "custom_tool_call": Kind(
        _function_name,
        _custom_input,
        _output("custom_tool_call_output", str),
        lambda item, args, _text: {**item, "input": args["input"]},
    ),
    "local_shell_call": Kind(
        _named("local_shell"),
        _words,
        _local_shell_failure,
        lambda item, args, _text: {**item, "action": {**args, "command": shlex.split(args["command"])}},
        canonical=_SHELL,
    ),
    "shell_call": Kind(
        _named("shell"),
        _commands,
        _output("shell_call_output", _shell_failure),
        lambda item, args, _text: {
            **item,
            "action": {key: args[key] for key in args if key not in ("command", "commands")}
            | {"commands": [args["command"]]},
        },
        canonical=_SHELL,
    ),
    "apply_patch_call": Kind(
        _named("apply_patch"),
        _patch,
        _output("apply_patch_call_output", str, status="failed"),
        lambda item, args, _text: {
            **item,
            "operation": {key: args[key] for key in args if key not in ("content", "diff")}
            | ({"diff": args["content"]} if "content" in args else {}),
        },
        canonical=lambda item: _PATCHES.get(_text_in(item.get("operation"), "type")),
    ),
    "computer_call": Kind(
        _named("computer"),
        _picked("action", "actions", "pending_safety_checks"),
        _no_picture,
        lambda item, args, _text: {**item, **args},
    ),
    "tool_search_call": Kind(
        _named("tool_search"),
        _picked("arguments"),
        _no_tools,
        lambda item, args, _text: {**item, **args},
    ),
    "mcp_approval_request": _mcp(_not_approved),
    "mcp_call": _mcp(None),
    "web_search_call": _hosted("web_search", "action"),
    "file_search_call": _hosted("file_search", "queries"),
    "code_interpreter_call": _hosted("code_interpreter", "code"),
    "image_generation_call": _hosted("image_generation", "revised_prompt", "action"),
    "program": _hosted("programmatic_tool_calling", "code"),
}
