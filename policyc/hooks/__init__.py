"""hooks.json: what runs beside an agent's tools, generated from a compiled bundle."""
