"""MCP servers behind the policy: what agents call there, and which tools they are shown."""
