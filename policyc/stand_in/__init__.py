"""A stand-in for the four LLM APIs: a real HTTP server whose model follows a script.

Tests, examples and the benchmark put it where a vendor would be. It needs no key and no network."""
