"""`/mcp/{server}`: servers over HTTP, behind the policy."""
