"""`policyc mcp`: a server that is a process, behind the policy."""
