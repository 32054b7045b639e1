"""What is kept between the calls of a run: what its calls count, and what a person decided.

The server keeps it in a store and ``policyc test`` in memory; which counters a call is about, how far it
takes a sequence, and what a caller is told is said here, once.
"""
