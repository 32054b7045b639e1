"""Decides what a tool call may do. Standard library only, RE2 where it is installed; no YAML, I/O or network.

The engine also runs inside the gate, so it keeps to Python 3.9 syntax and to light imports.
"""
