"""Decides what a tool call may do. Standard library only (plus RE2); no YAML, no I/O, no network.

The engine also runs inside the gate, so it keeps to Python 3.9 syntax and to light imports.
"""
