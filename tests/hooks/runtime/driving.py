"""hooks.json documents, events, and one call to run them."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys

from policyc.hooks.runtime import Result, Sandbox, read_hooks, run_event

PRE, POST = "pre_tool_execution", "post_tool_execution"
ALLOW = '{"decision": "allow"}'
DENY = '{"decision": "deny", "reason": "Not here."}'


def command(line, **more):
    return {"type": "command", "command": line, **more}


def says(text, **more):
    """A command that prints ``text``."""
    return command(f"printf %s {shlex.quote(text)}", **more)


def python(code, **more):
    return command(f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(code)}", **more)


def hooked(*handlers, matcher="*", event=PRE, group="g"):
    return {group: {event: [{"matcher": matcher, "hooks": list(handlers)}]}}


def payload(tool="code_execution", **args):
    return {"tool_call": {"name": tool, "args": args}, "environment_id": "env_1"}


def run(document, call=None, event=PRE, **sandbox) -> Result:
    return asyncio.run(run_event(read_hooks(document), event, call or payload(), Sandbox(**sandbox)))


def only(result: Result):
    """The one handler of ``result``; the result is JSON all the way down."""
    json.dumps(result.document())
    [handled] = result.trace
    return handled
