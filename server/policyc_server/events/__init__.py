"""What is kept of each evaluation, and how it is asked for."""
