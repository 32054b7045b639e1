"""Which agent a hook payload comes from, by its keys alone.

One settings file is run by several agents, each with a payload of its own, so the payload says more than the
command that carries it. Every key looked at is set by the agent; none of them comes from the model.
"""

from __future__ import annotations

#: Agents that name a tool ``tool_name`` and its arguments ``tool_input``, the likeliest first.
_CLAUDE_LIKE = ("claude-code", "codex", "qwen", "vscode", "copilot", "gemini-cli", "cursor", "kiro")

#: How only one of them begins the names of MCP tools; most of them share `mcp__`.
_PREFIXES = (("mcp__", "claude-code"), ("mcp_", "gemini-cli"), ("MCP:", "cursor"), ("@", "kiro"))

_CURSOR_EVENTS = frozenset(
    (
        "afterFileEdit",
        "afterMCPExecution",
        "afterShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "beforeShellExecution",
        "beforeTabFileRead",
    )
)

#: Keys of which one is enough.
_MARKS = (
    (("agent_action_name",), "windsurf"),
    (("hookName", "clineVersion"), "cline"),
    (("toolCall",), "agy"),
    (("toolName", "toolArgs"), "copilot"),
    (("tool_call",), "managed"),
    (("cursor_version", "conversation_id", "generation_id"), "cursor"),
    (("turn_id",), "codex"),
    (("tool_call_id",), "qwen"),
)

_PRES = frozenset(
    (
        "BeforeTool",
        "PreToolUse",
        "beforeMCPExecution",
        "beforeReadFile",
        "beforeShellExecution",
        "beforeTabFileRead",
        "preToolUse",
        "tool.execute.before",
        "tool_call",
    )
)
_POSTS = frozenset(
    (
        "AfterTool",
        "PostToolUse",
        "PostToolUseFailure",
        "afterFileEdit",
        "afterMCPExecution",
        "afterShellExecution",
        "postToolUse",
        "postToolUseFailure",
        "tool.execute.after",
        "tool_result",
    )
)
#: Keys that only a payload about a tool has.
_OF_A_TOOL = (
    "tool_call",
    "toolCall",
    "toolName",
    "toolArgs",
    "tool_name",
    "tool_input",
    "tool_info",
    "tool",
    "command",
    "file_path",
    "preToolUse",
)


def event_name(document: dict[str, object]) -> object:
    """The event as the agent names it, or None."""
    return next((document[key] for key in _EVENT_KEYS if key in document), None)


_EVENT_KEYS = ("hook_event_name", "hookEventName", "agent_action_name", "hookName")


def event_of(document: dict[str, object]) -> str:
    """``pre`` or ``post`` a tool, or ``other``. What does not say is ``pre``: it is not let through."""
    name = event_name(document)
    if isinstance(name, str) and name in _PRES:
        return "pre"
    if "postToolUse" in document or "toolResult" in document:
        return "post"
    if not isinstance(name, str):
        return "pre"
    if name in _POSTS or name.startswith("post_"):
        return "post"
    if name.startswith("pre_"):
        return "other" if name == "pre_user_prompt" else "pre"
    return "pre" if any(key in document for key in _OF_A_TOOL) else "other"


def possible(document: dict[str, object]) -> tuple[str, ...]:
    """The agents whose payload ``document`` may be, the likeliest first; empty where it is nobody's."""
    for keys, name in _MARKS:
        if any(key in document for key in keys):
            return ("cline",) if name == "managed" and _is_of_cline(document["tool_call"]) else (name,)
    if isinstance(document.get("preToolUse", document.get("postToolUse")), dict):
        return ("cline",)
    event = event_name(document)
    if isinstance(event, str):
        return _by_event(event, document)
    return _by_tool(document["tool_name"]) if "tool_name" in document and "tool_input" in document else ()


def _is_of_cline(tool_call: object) -> bool:
    return isinstance(tool_call, dict) and "input" in tool_call and "args" not in tool_call


def _by_tool(name: object) -> tuple[str, ...]:
    """Where nothing else tells: the agents whose tool it is before the others."""
    from policyc.engine.dialects.tool_owners import OWNERS  # most payloads tell

    owners = OWNERS.get(name, ()) if isinstance(name, str) else ()
    prefixed = [agent for prefix, agent in _PREFIXES if isinstance(name, str) and name.startswith(prefix)]
    readers = (*_CLAUDE_LIKE, "managed")
    likely = [agent for agent in (*owners, *prefixed) if agent in readers]
    return tuple(dict.fromkeys((*likely, *readers)))


def _by_event(event: str, document: dict[str, object]) -> tuple[str, ...]:
    if event.startswith("tool.execute."):
        return ("opencode",)
    if event in ("BeforeTool", "AfterTool"):
        return ("gemini-cli",)
    if event in _CURSOR_EVENTS:
        return ("cursor",)
    if event in ("preToolUse", "postToolUse"):
        return ("kiro",)
    return _claude_like(document)


def _claude_like(document: dict[str, object]) -> tuple[str, ...]:
    # Qwen sends a timestamp and a permission mode; nothing keeps Claude Code from adding a timestamp.
    if "timestamp" in document:
        if "permission_mode" in document:
            return ("qwen", "claude-code")
        return ("vscode", "copilot") if "tool_use_id" in document else ("copilot", "vscode")
    if "permission_mode" in document and "tool_use_id" in document:
        return ("claude-code",)
    return _by_tool(document.get("tool_name"))
