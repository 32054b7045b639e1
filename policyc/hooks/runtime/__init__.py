"""Runs a hooks.json as the managed agent's runtime does.

https://ai.google.dev/gemini-api/docs/agent-hooks. What that page leaves open is settled in docs/hooks.md,
each time so that a hook that holds here holds there too.
"""

from policyc.hooks.runtime.events import Handled, Result, run_event
from policyc.hooks.runtime.hooks_file import Handler, HooksFile, discover, load_hooks, read_hooks
from policyc.hooks.runtime.network import Network, load_network, read_network
from policyc.hooks.runtime.sandbox import Sandbox
from policyc.hooks.runtime.tools import ToolOutcome, ToolResult, post_event, run_tool
from policyc.hooks.runtime.wire import Wire

__all__ = [
    "Handled",
    "Handler",
    "HooksFile",
    "Network",
    "Result",
    "Sandbox",
    "ToolOutcome",
    "ToolResult",
    "Wire",
    "discover",
    "load_hooks",
    "load_network",
    "post_event",
    "read_hooks",
    "read_network",
    "run_event",
    "run_tool",
]
