"""Mutants of a compiled bundle: small changes that some test of the bundle should notice."""
