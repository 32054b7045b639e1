"""Tests of policies: the files beside them, what runs them, and assertions for pytest."""
