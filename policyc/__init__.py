"""Policy-as-code for what AI agents may do with tools."""

__version__ = "0.1.0"
