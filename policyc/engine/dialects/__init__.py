"""How each agent words a tool call: its payload, its tool names, its argument keys, its answer.

One module per agent, each with one ``DIALECT``.
"""

from __future__ import annotations

from policyc.engine.dialects import claude, managed

#: In the order in which a payload is tried.
DIALECTS = (managed.DIALECT, claude.DIALECT)
