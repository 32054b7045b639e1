"""An agent's own deny rules, where they say no more than the policy does.

A rule of the agent is written only where every call that it stops is one that the policy denies, whatever its
arguments and whichever policy governs. It runs in the agent's process, so it holds when a hook cannot; the
hook decides all the rest.
"""
