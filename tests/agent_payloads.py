"""Payloads of every agent, before a tool and after it, in the agent's own shape."""

PATCH = """*** Begin Patch
*** Add File: notes/new.md
+hello
*** Update File: .codex/hooks.json
@@
-a
+b
*** Delete File: old.txt
*** Update File: src/a.py
*** Move to: src/b.py
@@
-x
+y
*** End Patch"""

_CLAUDE = {
    "session_id": "s",
    "transcript_path": "/t",
    "cwd": "/w",
    "permission_mode": "default",
    "tool_use_id": "toolu_1",
}
_CURSOR = {
    "conversation_id": "c",
    "generation_id": "g",
    "cursor_version": "2.1",
    "workspace_roots": ["/w"],
}


def claude(tool, args, event="PreToolUse", **more):
    return {"hook_event_name": event, "tool_name": tool, "tool_input": args, **_CLAUDE, **more}


def codex(tool, args, event="PreToolUse"):
    return claude(tool, args, event, turn_id="t", model="gpt-x")


def qwen(tool, args, event="PreToolUse"):
    return claude(tool, args, event, tool_call_id="call_1", timestamp="2026-01-02T03:04:05Z")


def vscode(tool, args, event="PreToolUse"):
    found = claude(tool, args, event, timestamp="2026-01-02T03:04:05Z")
    del found["permission_mode"]
    return found


def copilot_pascal(tool, args, event="PreToolUse"):
    found = vscode(tool, args, event)
    del found["tool_use_id"]
    return found


def copilot(tool, args, **more):
    return {
        "sessionId": "s",
        "timestamp": 1767323045000,
        "cwd": "/w",
        "toolName": tool,
        "toolArgs": args,
        **more,
    }


def gemini(tool, args, event="BeforeTool", **more):
    return {
        "session_id": "s",
        "transcript_path": "/t",
        "cwd": "/w",
        "hook_event_name": event,
        "timestamp": "2026-01-02T03:04:05Z",
        "tool_name": tool,
        "tool_input": args,
        **more,
    }


def cursor(event, **more):
    return {"hook_event_name": event, **_CURSOR, **more}


def kiro(tool, args, event="preToolUse"):
    return {"hook_event_name": event, "cwd": "/w", "tool_name": tool, "tool_input": args}


def managed(tool, args, **more):
    return {"tool_call": {"name": tool, "args": args}, "environment_id": "env_1", **more}


def agy(tool, args):
    return {
        "toolCall": {"name": tool, "args": args},
        "workspacePaths": ["/w"],
        "conversationId": "c",
        "stepIdx": 3,
        "modelName": "m",
        "transcriptPath": "/t",
    }


def windsurf(action, **info):
    return {
        "agent_action_name": action,
        "trajectory_id": "t",
        "execution_id": "e",
        "timestamp": "2026-01-02T03:04:05Z",
        "tool_info": info,
    }


def opencode(tool, args, event="tool.execute.before", **more):
    return {"hook_event_name": event, "tool": tool, "args": args, "cwd": "/w", "session_id": "s", **more}


def cline_extension(tool, parameters, key="preToolUse"):
    return {
        "clineVersion": "3.40.0",
        "hookName": "PreToolUse" if key == "preToolUse" else "PostToolUse",
        "taskId": "1",
        "workspaceRoots": ["/w"],
        key: {"toolName": tool, "parameters": parameters},
    }


def cline_sdk(tool, given, key="preToolUse"):
    return {
        "hookName": "tool_call" if key == "preToolUse" else "tool_result",
        "taskId": "1",
        "workspaceRoots": ["/w"],
        "tool_call": {"id": "1", "name": tool, "input": given},
        key: {"toolName": tool, "parameters": {"commands": '["other"]'}},
    }


#: (target, event, payload)
SAMPLES = [
    ("managed", "pre", managed("code_execution", {"code": "ls", "language": "bash"})),
    ("managed", "pre", managed("read_file", {"path": "a"}, error="not there")),
    ("agy", "pre", agy("run_command", {"CommandLine": "ls"})),
    ("claude-code", "pre", claude("Bash", {"command": "ls"})),
    ("claude-code", "pre", claude("mcp__linear__create_issue", {"title": "x"}, agent_id="a")),
    ("claude-code", "post", claude("Bash", {"command": "ls"}, "PostToolUse", tool_response={})),
    ("claude-code", "post", claude("Bash", {"command": "ls"}, "PostToolUseFailure")),
    ("claude-code", "pre", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/w"}),
    ("codex", "pre", codex("Bash", {"command": "ls"})),
    ("codex", "pre", codex("apply_patch", {"command": PATCH})),
    ("codex", "post", codex("Bash", {"command": "ls"}, "PostToolUse")),
    ("qwen", "pre", qwen("run_shell_command", {"command": "ls"})),
    ("qwen", "post", qwen("edit", {"file_path": "a"}, "PostToolUse")),
    ("vscode", "pre", vscode("editFiles", {"files": ["a", "b"]})),
    ("vscode", "post", vscode("run_in_terminal", {"command": "ls"}, "PostToolUse")),
    ("copilot", "pre", copilot("bash", '{"command": "ls"}')),
    ("copilot", "pre", copilot("view", {"path": "a"})),
    ("copilot", "post", copilot("bash", '{"command": "ls"}', toolResult={"resultType": "success"})),
    ("copilot", "pre", copilot_pascal("Bash", {"command": "ls"})),
    ("copilot", "post", copilot_pascal("Bash", {"command": "ls"}, "PostToolUse")),
    ("gemini-cli", "pre", gemini("run_shell_command", {"command": "ls"})),
    ("gemini-cli", "post", gemini("replace", {"file_path": "a"}, "AfterTool", tool_response={})),
    ("cursor", "pre", cursor("preToolUse", tool_name="Shell", tool_input={"command": "ls"}, cwd="/w")),
    ("cursor", "pre", cursor("beforeShellExecution", command="ls", cwd="", sandbox=False)),
    ("cursor", "pre", cursor("beforeMCPExecution", tool_name="t", tool_input="{}", mcp_server_name="s")),
    ("cursor", "pre", cursor("beforeReadFile", file_path="/w/a", content="x", attachments=[])),
    ("cursor", "post", cursor("postToolUse", tool_name="Shell", tool_input={"command": "ls"})),
    ("cursor", "post", cursor("afterShellExecution", command="ls", output="")),
    ("cursor", "post", cursor("afterMCPExecution", tool_name="t", tool_input="{}", result_json="{}")),
    ("cursor", "post", cursor("afterFileEdit", file_path="/w/a", edits=[{"new_string": "x"}])),
    ("windsurf", "pre", windsurf("pre_run_command", command_line="ls", cwd="/w")),
    ("windsurf", "pre", windsurf("pre_write_code", file_path="/w/a", edits=[])),
    ("windsurf", "pre", windsurf("pre_read_code", file_path="/w/a")),
    (
        "windsurf",
        "pre",
        windsurf("pre_mcp_tool_use", mcp_server_name="s", mcp_tool_name="t", mcp_tool_arguments={}),
    ),
    ("windsurf", "post", windsurf("post_run_command", command_line="ls", cwd="/w")),
    ("kiro", "pre", kiro("fs_read", {"operations": [{"mode": "Line", "path": "/w/a"}]})),
    ("kiro", "post", kiro("execute_bash", {"command": "ls"}, "postToolUse")),
    ("kiro", "post", kiro("execute_bash", {"command": "ls"}, "PostToolUse")),
    ("opencode", "pre", opencode("bash", {"command": "ls"})),
    ("opencode", "post", opencode("bash", {"command": "ls"}, "tool.execute.after")),
    ("cline", "pre", cline_extension("run_commands", {"commands": '["git status", "ls"]'})),
    ("cline", "pre", cline_sdk("run_commands", {"commands": ["git status"]})),
    ("cline", "post", cline_extension("run_commands", {"commands": '["ls"]'}, "postToolUse")),
    ("cline", "post", cline_sdk("run_commands", {"commands": ["ls"]}, "postToolUse")),
]
