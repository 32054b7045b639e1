"""Runs the hooks in a repository as their agent would, with everything around them that goes wrong."""
