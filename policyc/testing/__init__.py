"""Tests of policies: the files beside them, what runs them, and assertions for pytest."""

from policyc.testing.assertions import ANY, PolicyUnderTest, Run, policy

__all__ = ["ANY", "PolicyUnderTest", "Run", "policy"]
