"""What outlives a process: events, runs, approvals, keys, counters. SQLite, or PostgreSQL for replicas."""
