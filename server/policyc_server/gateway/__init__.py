"""The LLM gateway: the firewall between an agent's LLM client and the API that it calls."""
