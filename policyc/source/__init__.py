"""What people write: files read with positions, checked against JSON Schemas, problems as data."""
